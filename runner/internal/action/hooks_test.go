package action_test

// keeping keeps the files of steps as a test says.
type keeping func(name, from string) (string, error)

func (k keeping) Keep(name, from string) (string, error) { return k(name, from) }
