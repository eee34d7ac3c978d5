__global__ void wrong_kernel(float *x) { x[0] = no_such_function(x[0]); }
