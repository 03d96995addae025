// Package agent starts WebDriverAgents: a device goes in, the URL of one that responds there comes out.
package agent
