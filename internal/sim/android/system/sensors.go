package system

import (
	"fmt"
	"strconv"
)

// mockLocation is what the shell has set as the phone's place. The phone's lock guards it.
type mockLocation struct {
	Allowed   bool                  // to the shell
	Providers map[string]bool       // test providers
	Places    map[string][2]float64 // by provider: latitude and longitude
}

// sensors is what an emulator's console has put in front of the phone's sensors.
type sensors struct {
	Acceleration [3]float64
	turns        int   // how often it turned round
	fingerprints []int // fingers that have touched the fingerprint sensor
}

// TouchSensor puts a finger on the fingerprint sensor, and returns the console's answer.
func (s *System) TouchSensor(finger string) string {
	id, err := strconv.Atoi(finger)
	if err != nil || id < 1 {
		return "KO: invalid fingerid\n"
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Sensors.fingerprints = append(s.Sensors.fingerprints, id)
	return "OK\n"
}

// SetAcceleration moves the phone, and returns the console's answer.
func (s *System) SetAcceleration(text string) string {
	var to [3]float64
	if _, err := fmt.Sscanf(text, "%g:%g:%g", &to[0], &to[1], &to[2]); err != nil {
		return "KO: Sensor value format is invalid.\n"
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if to[0]*s.Sensors.Acceleration[0] < 0 { // it is moved the other way
		s.Sensors.turns++
	}
	s.Sensors.Acceleration = to
	return "OK\n"
}
