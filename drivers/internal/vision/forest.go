package vision

// forest groups things that hang together, by their numbers.
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

// root returns the number by which the group of i is known.
func (f forest) root(i int) int {
	for f[i] != int32(i) {
		f[i] = f[f[i]]
		i = int(f[i])
	}
	return i
}

// join makes one group of two.
func (f forest) join(a, b int) { f[f.root(a)] = int32(f.root(b)) }
