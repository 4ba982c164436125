"""One host loop for each algorithm, the graph's edges in the device's memory; the kernels have the same names."""
