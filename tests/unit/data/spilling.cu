// spilling.cubin is of this file: nvcc 13.4 -arch=sm_90 -maxrregcount=16 -cubin -Xptxas -v, which said
//   spilled: Used 24 registers, used 1 barriers, 24 bytes cumulative stack size
//   shared:  Used 14 registers, used 1 barriers, 1200 bytes smem
extern "C" __global__ void shared(const float* a, float* b) {
  __shared__ float kept[300];
  kept[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = kept[299 - threadIdx.x];
}
extern "C" __global__ void spilled(const float* a, float* b, int n) {
  float v[16];
#pragma unroll
  for (int i = 0; i < 16; i++) v[i] = a[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 16; i++) b[i * n + threadIdx.x] = v[i] + v[15 - i];
}
