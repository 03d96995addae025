package maestro

import "reflect"

// Expand returns a copy of what a command says with its texts filled in: all but those that a tag excludes,
// flows and steps, and the env of a called flow, which is filled in when the flow starts.
func Expand[T any](do T, fill func(string) (string, error)) (T, error) {
	v := reflect.New(reflect.TypeOf(do)).Elem()
	v.Set(reflect.ValueOf(do))
	if err := expand(v, fill); err != nil {
		return do, err
	}
	return v.Interface().(T), nil
}

func expand(v reflect.Value, fill func(string) (string, error)) error {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != reflect.TypeFor[string]() {
			return nil
		}
		text, err := fill(v.String())
		if err == nil {
			v.SetString(text)
		}
		return err
	case reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*Flow]() {
			return nil
		}
		own := reflect.New(v.Type().Elem())
		own.Elem().Set(v.Elem())
		v.Set(own)
		return expand(own.Elem(), fill)
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() == reflect.Pointer && v.Type().Elem() != reflect.TypeFor[*Selector]() {
			return nil // steps
		}
		own := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(own, v)
		v.Set(own)
		for i := range own.Len() {
			if err := expand(own.Index(i), fill); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if text, is := v.Interface().(string); is {
			filled, err := fill(text)
			if err == nil {
				v.Set(reflect.ValueOf(filled))
			}
			return err
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() || f.Tag.Get("js") == "-" {
				continue
			}
			if err := expand(v.Field(i), fill); err != nil {
				return err
			}
		}
	}
	return nil
}
