package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
)

func takeSnapshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	return answered(c.Screen(device).Look(ctx, c.args.(client.View)))
}

func webSnapshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.Pick(ctx, []dsl.Platform{dsl.Web})
	if err != nil {
		return nil, err
	}
	c.PageOnly = true
	return answered(c.Screen(device).Look(ctx, c.args.(client.View)))
}

func takeScreenshot(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	return answered(c.Screen(device).Screenshot(ctx, c.args.(client.ScreenshotArgs)))
}

// ocrArgs are those of the tool ocr.
type ocrArgs struct {
	Find string `json:"find,omitempty" minLength:"1" doc:"Only lines that contain this."`
}

func readPixels(ctx context.Context, c *call) (*mcp.CallToolResult, error) {
	device, err := c.AnyDevice(ctx)
	if err != nil {
		return nil, err
	}
	return answered(c.Screen(device).ReadPixels(ctx, c.args.(ocrArgs).Find))
}
