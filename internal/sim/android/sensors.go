package androidsim

import (
	"fmt"
	"strconv"
)

// sensors is what an emulator's console has put in front of the phone's sensors.
type sensors struct {
	acceleration [3]float64
	turns        int   // how often it turned round
	fingerprints []int // fingers that have touched the fingerprint sensor
}

func (p *system) touchSensor(finger string) string {
	id, err := strconv.Atoi(finger)
	if err != nil || id < 1 {
		return "KO: invalid fingerid\n"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sensors.fingerprints = append(p.sensors.fingerprints, id)
	return "OK\n"
}

func (p *system) setAcceleration(text string) string {
	var to [3]float64
	if _, err := fmt.Sscanf(text, "%g:%g:%g", &to[0], &to[1], &to[2]); err != nil {
		return "KO: Sensor value format is invalid.\n"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if to[0]*p.sensors.acceleration[0] < 0 { // it is moved the other way
		p.sensors.turns++
	}
	p.sensors.acceleration = to
	return "OK\n"
}
