package dsl

// Bind fills in the variables of a step and checks it again, now with every type. args is the action's struct by value,
// for example a Tap. The error is an Errors.
func Bind(step *Step, s *Scope) (args any, opts StepOptions, err error) {
	var errs Errors
	v := s.fill(step.Args, func(e *Error) { errs = append(errs, e) })
	if err := errs.orNil(); err != nil {
		return nil, StepOptions{}, err
	}
	d := &decoding{source: s.source}
	args, opts = d.arguments(step.Def, v, step.Pos)
	if err := d.errs.orNil(); err != nil {
		return nil, StepOptions{}, err
	}
	return args, opts, nil
}

// CheckVars binds every step of the test and gives all errors: undefined variables, and values that do not fit. The
// error is an Errors.
func CheckVars(t *Test, s *Scope) error {
	var errs Errors
	for _, step := range t.Steps {
		if _, _, err := Bind(step, s); err != nil {
			errs = append(errs, err.(Errors)...)
		}
	}
	return errs.orNil()
}

// Args gives the argument of a step for reports: Flow with the variables filled in. What cannot be filled in stays as it
// is written.
func Args(step *Step, s *Scope) string {
	return Flow(s.fill(step.Args, func(*Error) {}))
}

// fill replaces the variables in all texts of a value. The keys of maps stay as they are.
func (s *Scope) fill(v Value, fail func(*Error)) Value {
	switch v.Kind {
	case String:
		text, err := s.expand(v.Text, v.Pos, s.lookup)
		if err != nil {
			fail(err)
			break
		}
		if text != v.Text {
			v.Text, v.written = text, v.Text
		}
	case List:
		items := make([]Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = s.fill(item, fail)
		}
		v.Items = items
	case Map:
		fields := make([]Field, len(v.Fields))
		for i, f := range v.Fields {
			fields[i] = Field{Key: f.Key, Pos: f.Pos, Value: s.fill(f.Value, fail)}
		}
		v.Fields = fields
	}
	return v
}

// Decode checks a value as the argument of an operation and gives its struct by value. The text is final: ${NAME} has no
// meaning in it. The keys of StepOptions are unknown to it; see DecodeStep. The error is an Errors.
func Decode(def *Def, v Value) (args any, err error) {
	d := &decoding{}
	args = d.bare(def, v)
	if err := d.errs.orNil(); err != nil {
		return nil, err
	}
	return args, nil
}

// DecodeStep is Decode for a map that may hold the keys of StepOptions beside the arguments.
func DecodeStep(def *Def, v Value) (args any, opts StepOptions, err error) {
	d := &decoding{}
	args, opts = d.arguments(def, v, v.Pos)
	if err := d.errs.orNil(); err != nil {
		return nil, StepOptions{}, err
	}
	return args, opts, nil
}
