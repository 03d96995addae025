package vision

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// sameImage is the correlation from which a place shows the template; a button with another word on it stays below.
	sameImage = 0.92
	// sameColour is how far, on average over any block of blockSide pixels, a channel may be from the template's, of 255:
	// a grey icon is not a red one.
	sameColour = 45
	blockSide  = 6
	// maybeImage is the correlation of a place that is worth a closer comparison, in the small image.
	maybeImage = 0.5
	// closerLooks bounds how many there are.
	closerLooks = 300
	// smallTemplate is the side below which a template says too little.
	smallTemplate = 6
)

// FindImage finds a template that was cut out of a screenshot: the same pixels give or take a little, from 95 to 105
// per cent of their size, in the same colours.
func (e *Models) FindImage(ctx context.Context, img, template image.Image) ([]drivers.Sighting, error) {
	screen, wanted := toRGBA(img), toRGBA(template)
	size := wanted.Rect.Size()
	if size.X < smallTemplate || size.Y < smallTemplate {
		return nil, fmt.Errorf("a template of %dx%d pixels is too small to be found: cut out more around it", size.X, size.Y)
	}
	if newPlane(wanted, 1).deviation() < 2 {
		return nil, fmt.Errorf("the template has one colour only, which could be anywhere: cut out more around it")
	}
	var found []drivers.Sighting
	for _, scale := range []float64{1, 0.95, 1.05} {
		scaled := wanted
		if scale != 1 {
			scaled = image.NewRGBA(image.Rect(0, 0, int(math.Round(float64(size.X)*scale)),
				int(math.Round(float64(size.Y)*scale))))
			xdraw.CatmullRom.Scale(scaled, scaled.Rect, wanted, wanted.Rect, xdraw.Src, nil)
		}
		hits, err := correlate(ctx, screen, scaled)
		if err != nil {
			return nil, err
		}
		if found = hits; len(found) > 0 {
			break
		}
	}
	return found, nil
}

// correlate searches a small image for where the template may be, and there in the pixels themselves.
func correlate(ctx context.Context, screen, template *image.RGBA) ([]drivers.Sighting, error) {
	size := template.Rect.Size()
	if size.X > screen.Rect.Dx() || size.Y > screen.Rect.Dy() {
		return nil, nil
	}
	factor := 1
	for min(size.X, size.Y)/(factor*2) >= 10 && size.X*size.Y/(factor*factor) > 400 {
		factor *= 2
	}
	places, err := newPlane(screen, factor).match(ctx, newPlane(template, factor).centred())
	if err != nil {
		return nil, err
	}
	whole, exact := newPlane(screen, 1), newPlane(template, 1).centred()
	var hits []drivers.Sighting
	for _, p := range places {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		at, score := whole.refine(exact, p.Mul(factor), factor+1)
		box := image.Rectangle{Min: at, Max: at.Add(size)}
		if score >= sameImage && colourDistance(screen, template, at) <= sameColour {
			hits = append(hits, drivers.Sighting{Bounds: box, Score: math.Min(score, 1)})
		}
	}
	slices.SortStableFunc(hits, func(a, b drivers.Sighting) int { return cmp.Compare(b.Score, a.Score) })
	var apart []drivers.Sighting
	for _, h := range hits {
		if !slices.ContainsFunc(apart, func(a drivers.Sighting) bool { return overlap(a.Bounds, h.Bounds) }) {
			apart = append(apart, h)
		}
	}
	return apart, nil
}

// overlap reports whether two boxes of one size are the same place.
func overlap(a, b image.Rectangle) bool {
	common := a.Intersect(b)
	return 3*common.Dx()*common.Dy() > a.Dx()*a.Dy()
}

// plane is the brightness of an image, with the sums that make the mean of any part cheap.
type plane struct {
	w, h    int
	v       []float32
	sum, sq []float64 // over all that is above and left, one column and row more than v
}

// newPlane averages squares of factor pixels.
func newPlane(img *image.RGBA, factor int) *plane {
	p := &plane{w: img.Rect.Dx() / factor, h: img.Rect.Dy() / factor}
	p.v = make([]float32, p.w*p.h)
	for y := range p.h * factor {
		row := img.Pix[y*img.Stride:]
		for x := range p.w * factor {
			p.v[y/factor*p.w+x/factor] += 0.299*float32(row[4*x]) + 0.587*float32(row[4*x+1]) + 0.114*float32(row[4*x+2])
		}
	}
	p.sum, p.sq = make([]float64, (p.w+1)*(p.h+1)), make([]float64, (p.w+1)*(p.h+1))
	for y := range p.h {
		var line, lineSq float64
		for x := range p.w {
			p.v[y*p.w+x] /= float32(factor * factor)
			v := float64(p.v[y*p.w+x])
			line, lineSq = line+v, lineSq+v*v
			at := (y+1)*(p.w+1) + x + 1
			p.sum[at], p.sq[at] = p.sum[at-p.w-1]+line, p.sq[at-p.w-1]+lineSq
		}
	}
	return p
}

func (p *plane) area(table []float64, x, y, w, h int) float64 {
	s := p.w + 1
	return table[(y+h)*s+x+w] - table[y*s+x+w] - table[(y+h)*s+x] + table[y*s+x]
}

// spread is the square root of the summed squares around the mean of a part.
func (p *plane) spread(x, y, w, h int) float64 {
	sum := p.area(p.sum, x, y, w, h)
	return math.Sqrt(math.Max(0, p.area(p.sq, x, y, w, h)-sum*sum/float64(w*h)))
}

func (p *plane) deviation() float64 {
	return p.spread(0, 0, p.w, p.h) / math.Sqrt(float64(p.w*p.h))
}

// pattern is a template around its mean.
type pattern struct {
	w, h   int
	v      []float32
	spread float64
}

func (p *plane) centred() *pattern {
	mean := float32(p.area(p.sum, 0, 0, p.w, p.h) / float64(p.w*p.h))
	t := &pattern{w: p.w, h: p.h, v: make([]float32, len(p.v)), spread: p.spread(0, 0, p.w, p.h)}
	for i, v := range p.v {
		t.v[i] = v - mean
	}
	return t
}

// correlation of the pattern with the part at (x,y), from -1 to 1.
func (p *plane) correlation(t *pattern, x, y int) float64 {
	spread := p.spread(x, y, t.w, t.h)
	if spread < 1e-3*t.spread || t.spread == 0 {
		return 0
	}
	var dot float64
	for row := range t.h {
		a, b := p.v[(y+row)*p.w+x:][:t.w], t.v[row*t.w:][:t.w]
		var line float32
		for i := range a {
			line += a[i] * b[i]
		}
		dot += float64(line)
	}
	return dot / (spread * t.spread)
}

// match returns the places where the pattern may be, best first.
func (p *plane) match(ctx context.Context, t *pattern) ([]image.Point, error) {
	type place struct {
		at    image.Point
		score float64
	}
	w, h := p.w-t.w+1, p.h-t.h+1
	scores := make([]float64, max(w, 0)*max(h, 0))
	for y := range h {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		for x := range w {
			scores[y*w+x] = p.correlation(t, x, y)
		}
	}
	var places []place
	for i, score := range scores {
		x, y := i%w, i/w
		if score < maybeImage || x > 0 && scores[i-1] > score || x < w-1 && scores[i+1] >= score || y > 0 &&
			scores[i-w] > score || y < h-1 && scores[i+w] >= score {
			continue
		}
		places = append(places, place{image.Pt(x, y), score})
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(b.score, a.score) })
	out := make([]image.Point, min(len(places), closerLooks))
	for i := range out {
		out[i] = places[i].at
	}
	return out, nil
}

// refine finds the best place at most so far from at.
func (p *plane) refine(t *pattern, at image.Point, far int) (best image.Point, score float64) {
	score = -1
	for y := max(0, at.Y-far); y <= min(p.h-t.h, at.Y+far); y++ {
		for x := max(0, at.X-far); x <= min(p.w-t.w, at.X+far); x++ {
			if s := p.correlation(t, x, y); s > score {
				best, score = image.Pt(x, y), s
			}
		}
	}
	return best, score
}

// colourDistance is the mean distance of the channels of the template to those of the screen at a place, in the worst
// block.
func colourDistance(screen, template *image.RGBA, at image.Point) float64 {
	worst, size := 0.0, template.Rect.Size()
	for top := 0; top < size.Y; top += blockSide {
		for left := 0; left < size.X; left += blockSide {
			block := image.Rect(left, top, min(left+blockSide, size.X), min(top+blockSide, size.Y))
			sum := 0
			for y := block.Min.Y; y < block.Max.Y; y++ {
				a, b := screen.Pix[screen.PixOffset(at.X+left, at.Y+y):][:4*block.Dx()],
					template.Pix[template.PixOffset(left, y):][:4*block.Dx()]
				for i := range a {
					if i%4 != 3 {
						sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
					}
				}
			}
			worst = max(worst, float64(sum)/float64(3*block.Dx()*block.Dy()))
		}
	}
	return worst
}
