int broken() { return no_such_name; }
