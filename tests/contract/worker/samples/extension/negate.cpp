#include <Python.h>

static PyObject *negate(PyObject *, PyObject *value) { return PyNumber_Negative(value); }
static PyMethodDef methods[] = {{"negate", negate, METH_O, nullptr}, {nullptr, nullptr, 0, nullptr}};
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "negate", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_negate() { return PyModule_Create(&definition); }
