def original(x, y):
    return x + y
