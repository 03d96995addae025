package web

import (
	"context"

	"github.com/playwright-community/playwright-go"
)

// shakes sends the events of a device that is moved to and fro: apart from these, a browser on a desk feels nothing.
const shakes = `async () => {
	if (matchMedia('(scripting: none)').matches) return; // nothing in it can listen, and no timer ends
	const pause = () => new Promise(next => setTimeout(next, 40));
	const send = (x) => {
		const moved = {acceleration: {x, y: 0, z: 0}, accelerationIncludingGravity: {x, y: 9.81, z: 0},
			rotationRate: {alpha: 0, beta: 0, gamma: 0}, interval: 40};
		// Pages that are not secure lack the constructor.
		window.dispatchEvent(typeof DeviceMotionEvent === 'function' ? new DeviceMotionEvent('devicemotion', moved)
			: Object.assign(new Event('devicemotion'), moved));
	};
	for (let i = 0; i < 8; i++) {
		send(i % 2 === 0 ? 25 : -25);
		await pause();
	}
	send(0);
}`

// Shake sends devicemotion events to the page and to every frame in it.
func (h *Hand) Shake(ctx context.Context) error {
	return act(ctx, h.slot, func(page playwright.Page) error {
		for _, frame := range framesUnder(page.MainFrame()) {
			if _, err := frame.Evaluate(shakes); err != nil && (frame == page.MainFrame() || !frame.IsDetached()) {
				return err
			}
		}
		return nil
	})
}
