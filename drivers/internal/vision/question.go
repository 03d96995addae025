package vision

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
	xdraw "golang.org/x/image/draw"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	// longestSide is that of an image as a model gets it, in pixels: the text of a phone can be read, and no endpoint
	// scales it again.
	longestSide = 1600
	// maxPrompt is the length of the longest prompt, in bytes.
	maxPrompt = 8000
	// maxAnswer bounds an answer, in tokens. Reasoning models think within it, too.
	maxAnswer = 4000
)

// question is one image and the question about it.
type question struct {
	kind   kind
	prompt string
	scale  float64 // of a pixel as sent to one of the screen
	size   image.Point
	png    []byte
	asked  *drivers.ModelCall
}

// newQuestion scales the image and sets the key of the question.
func (e *Models) newQuestion(k kind, img image.Image, prompt string) (*question, error) {
	prompt = strings.TrimSpace(strings.ToValidUTF8(prompt, "\ufffd"))
	switch {
	case prompt == "":
		return nil, errors.New("there is no prompt")
	case len(prompt) > maxPrompt:
		return nil, fmt.Errorf("the prompt is %d bytes long, and %d are allowed", len(prompt), maxPrompt)
	case img == nil || img.Bounds().Empty():
		return nil, errors.New("there is no image")
	}
	q := &question{kind: k, prompt: prompt, size: img.Bounds().Size()}
	small := shrink(img, longestSide)
	q.scale = float64(small.Rect.Dx()) / float64(q.size.X)
	var data bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&data, small); err != nil {
		return nil, fmt.Errorf("encode the image: %w", err)
	}
	q.png = data.Bytes()
	sent := small.Rect.Size()
	q.asked = &drivers.ModelCall{Kind: k.name, Model: e.model(), System: k.system(sent), Prompt: prompt, Width: sent.X,
		Height: sent.Y, Image: small}
	if base, err := e.base(); err == nil {
		q.asked.Endpoint = base.Host
	}
	hash := sha256.New()
	fmt.Fprintf(hash, "taproot 1\x00%s\x00%s\x00%q\x00%q\x00%s\x00%d\x00%d\x00", k.name, q.asked.Model, q.asked.System,
		prompt, k.schema, sent.X, sent.Y)
	hash.Write(small.Pix)
	q.asked.Key = hex.EncodeToString(hash.Sum(nil))
	return q, nil
}

// shrink returns a copy without transparency with a longest side of at most so long.
func shrink(img image.Image, longest int) *image.RGBA {
	from := img.Bounds()
	size := from.Size()
	if side := max(size.X, size.Y); side > longest {
		size = image.Pt(max(1, size.X*longest/side), max(1, size.Y*longest/side))
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	if size == from.Size() {
		xdraw.Copy(out, image.Point{}, img, from, xdraw.Src, nil)
	} else {
		xdraw.CatmullRom.Scale(out, out.Rect, img, from, xdraw.Src, nil)
	}
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 255
	}
	return out
}

// request is the question as the endpoint gets it, without the parameters that it refuses. What the screenshot shows
// has no part in it but the screenshot itself.
func (q *question) request(seed int, without map[omission]bool) openai.ChatCompletionRequest {
	system := q.asked.System
	shot := &openai.ChatMessageImageURL{
		URL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(q.png), Detail: openai.ImageURLDetailHigh}
	r := openai.ChatCompletionRequest{Model: q.asked.Model}
	if without[omitDetail] {
		shot.Detail = ""
	}
	if !without[omitSeed] {
		r.Seed = &seed
	}
	if !without[omitTemperature] && !choosesTemperature(r.Model) {
		r.Temperature = zeroTemperature
	}
	if without[omitTokenLimit] {
		//lint:ignore SA1019 this is for servers that do not know the newer name
		r.MaxTokens = maxAnswer
	} else {
		r.MaxCompletionTokens = maxAnswer
	}
	if without[omitResponseFormat] {
		system += "\n\nThe JSON schema of your answer: " + q.kind.schema
	} else {
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{
				Name: q.kind.name, Strict: true, Schema: json.RawMessage(q.kind.schema)}}
	}
	r.Messages = []openai.ChatCompletionMessage{
		{Role: openai.ChatMessageRoleSystem, Content: system},
		{Role: openai.ChatMessageRoleUser, MultiContent: []openai.ChatMessagePart{
			{Type: openai.ChatMessagePartTypeText, Text: q.kind.lead + "\n\n" + q.prompt},
			{Type: openai.ChatMessagePartTypeImageURL, ImageURL: shot},
		}},
	}
	return r
}

// choosesTemperature reports whether a model chooses its temperature itself and refuses one.
func choosesTemperature(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}

// ask returns one answer for a seed: an earlier one, or that of the endpoint. It is kept in q.asked before it is
// judged.
func (e *Models) ask(ctx context.Context, q *question, seed int, known []drivers.Reply) (drivers.Reply, error) {
	for _, r := range known {
		if r.Seed == seed {
			r.Replayed = true
			q.asked.Answers = append(q.asked.Answers, r)
			return r, nil
		}
	}
	mode, err := e.mode()
	if err != nil {
		return drivers.Reply{}, err
	}
	if mode == Replay {
		return drivers.Reply{},
			fmt.Errorf("no earlier run has an answer to this prompt about this screenshot by the model %s, "+
				"and --ai replay sends no request to a model: run once with --ai live", q.asked.Model)
	}
	endpoint, err := e.endpoint()
	if err != nil {
		return drivers.Reply{}, err
	}
	limit, err := e.timeout()
	if err != nil {
		return drivers.Reply{}, err
	}
	if end, known := drivers.StepDeadline(ctx); known {
		limit = max(limit, time.Until(end))
	}
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	answer, err := e.complete(within, endpoint.client(e.o.Client), q, seed)
	switch {
	case ctx.Err() != nil:
		return drivers.Reply{}, context.Cause(ctx)
	case within.Err() != nil:
		return drivers.Reply{},
			fmt.Errorf("the model %s did not answer within %s: give the step a longer timeout, or set TAPROOT_AI_TIMEOUT",
				q.asked.Model, limit.Round(time.Millisecond))
	case err != nil:
		return drivers.Reply{}, fmt.Errorf("ask the model %s: %s", q.asked.Model, e.conceal(explain(err)))
	case len(answer.Choices) != 1:
		return drivers.Reply{}, fmt.Errorf("the model %s returned %d responses, not one", q.asked.Model, len(answer.Choices))
	}
	c := answer.Choices[0]
	r := drivers.Reply{Seed: seed, Text: e.conceal(c.Message.Content), Refusal: e.conceal(c.Message.Refusal),
		Finish: string(c.FinishReason),
		Model:  e.conceal(answer.Model), PromptTokens: answer.Usage.PromptTokens,
		CompletionTokens: answer.Usage.CompletionTokens,
		TookMS:           time.Since(began).Milliseconds()}
	q.asked.Answers = append(q.asked.Answers, r)
	return r, nil
}

// complete sends the question, and again without the parameters that the endpoint refuses. What was refused once is
// left out of all later questions.
func (e *Models) complete(ctx context.Context, client *openai.Client, q *question, seed int) (
	openai.ChatCompletionResponse, error) {
	for {
		without := e.left.copy()
		answer, err := client.CreateChatCompletion(ctx, q.request(seed, without))
		if err == nil || !e.left.learn(err, without) {
			return answer, err
		}
	}
}

// explain shortens an endpoint's error to what a reader needs.
func explain(err error) string {
	var api *openai.APIError
	text := err.Error()
	if errors.As(err, &api) {
		text = fmt.Sprintf("it answered %d: %s", api.HTTPStatusCode, api.Message)
		if api.Type == errorInside {
			text = "it answered 200 with an error: " + api.Message
		}
	}
	var bad *openai.RequestError
	if errors.As(err, &bad) {
		text = fmt.Sprintf("it answered %d: %s", bad.HTTPStatusCode, strings.TrimSpace(string(bad.Body)))
	}
	if api != nil && api.HTTPStatusCode == http.StatusNotFound || bad != nil && bad.HTTPStatusCode == http.StatusNotFound {
		text = "(is OPENAI_BASE_URL right? It mostly ends with /v1) " + text
	}
	if r := []rune(strings.Join(strings.Fields(text), " ")); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// real converts a box of the screenshot as it was sent into one of the screen.
func (q *question) real(box [4]float64) image.Rectangle {
	at := func(n float64, round func(float64) float64) int { return int(round(n / q.scale)) }
	return image.Rect(at(box[0], math.Floor), at(box[1], math.Floor), at(box[2], math.Ceil),
		at(box[3], math.Ceil)).Intersect(image.Rectangle{Max: q.size})
}
