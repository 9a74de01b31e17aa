"""Machine code for programs, through LLVM: one vector lane for each element of the batch.

target     what the processor has: vector width, fused multiply-add
text       a function of LLVM text under construction
nodes      one node of the graph -> instructions
module     what the functions of one piece of machine code share
regions    the nodes of a graph, straight or in parts
looping    a loop among them
memory     rows of arrays to vectors and back
events     values written only where a condition holds
blocks     a program as a function over blocks of the batch: what a kernel calls
timeloops  a rollout as such a function
machine    text -> object code -> a function to call
"""
