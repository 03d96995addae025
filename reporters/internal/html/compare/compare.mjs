// compare.mjs puts the page of one failure by Playwright, by Allure and by Taproot beside each other, as pictures to be looked at:
//
//   node reporters/internal/html/compare/compare.mjs OUT
//
// OUT is the folder that the pictures go into. TAPROOT names the program (default: taproot), CHROMIUM the browser. The other two come
// from npm, into a folder of their own that is removed at the end.
import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";

const packages = ["@playwright/test@1.57.0", "allure-playwright@3.4.3", "allure@3.18.0"];
const out = path.resolve(process.argv[2] ?? "compared");
const taproot = process.env.TAPROOT ?? "taproot";
const chromium = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
const work = fs.mkdtempSync(path.join(os.tmpdir(), "compare-"));
fs.mkdirSync(out, { recursive: true });

// The failure: a server that breaks down, so that the page throws and never says "Paid".
const page = `<!doctype html><title>Shop</title><h1>Shop</h1><button onclick="fetch('/pay', {method: 'POST'}).then(r => r.text().then(t => { JSON.parse(t) }))">Pay</button>`;
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml" };
const server = http.createServer((request, response) => {
  const at = new URL(request.url, "http://x").pathname;
  if (request.method === "POST") return response.writeHead(500).end("no");
  if (at === "/") return response.writeHead(200, { "content-type": "text/html" }).end(page);
  const file = path.join(work, path.normalize(decodeURIComponent(at)));
  if (!file.startsWith(work) || !fs.existsSync(file) || !fs.statSync(file).isFile()) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": types[path.extname(file)] ?? "application/octet-stream" }).end(fs.readFileSync(file));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${server.address().port}`;

function write(name, text) {
  fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
  fs.writeFileSync(path.join(work, name), text);
}

// run starts a program beside the server, which must go on answering. That tests fail is what is wanted.
async function run(program, args) {
  await new Promise((done, fail) => spawn(program, args, { cwd: work, stdio: "inherit", env: { ...process.env, CI: "" } }).on("error", fail).on("exit", done));
}

try {
  write("package.json", "{}");
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--legacy-peer-deps", "--ignore-scripts", ...packages], { cwd: work, stdio: "inherit" });
  write("playwright.config.js", `module.exports = { testDir: "pw", reporter: [["html", { open: "never", outputFolder: "playwright-report" }], ["allure-playwright", { resultsDir: "allure-results" }]],
    use: { trace: "on", screenshot: "on", launchOptions: { executablePath: ${JSON.stringify(chromium)}, args: ["--no-sandbox"] } } }`);
  write("pw/shop.spec.js", `const { test, expect } = require("@playwright/test");
test("shop", async ({ page }) => {
  await page.goto("${base}/");
  await page.getByRole("button", { name: "Pay" }).click();
  await expect(page.getByText("Paid")).toBeVisible({ timeout: 700 });
});`);
  write("suites/shop.yaml", `id: shop\nplatform: web\nsteps:\n  - openBrowser: {url: "${base}/"}\n  - tap: Pay\n  - assert: {label: Paid, timeoutMs: 700}\n`);
  await run("node_modules/.bin/playwright", ["test"]);
  await run("node_modules/.bin/allure", ["generate", "allure-results", "-o", "allure-report"]);
  await run(taproot, ["run", "suites", "--reports", path.join(work, "taproot"), "--no-video"]);

  const { chromium: engine } = createRequire(path.join(work, "package.json"))("playwright-core");
  const browser = await engine.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  const look = async (name, address, open) => {
    const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await tab.goto(base + address);
    if (open) await open(tab);
    await tab.waitForTimeout(1500); // theirs draw when they please
    await tab.screenshot({ path: path.join(out, name + ".png") });
    await tab.close();
  };
  await look("playwright", "/playwright-report/index.html", (tab) => tab.getByText("shop", { exact: true }).first().click());
  await look("allure", "/allure-report/" + (fs.existsSync(path.join(work, "allure-report/index.html")) ? "index.html" : "awesome/index.html"), (tab) => tab.getByText("shop", { exact: true }).first().click());
  const runs = fs.readdirSync(path.join(work, "taproot")).filter((name) => /^\d{4}-/.test(name));
  await look("taproot", `/taproot/${runs[0]}/shop/report.html`);
  await browser.close();
  console.log(fs.readdirSync(out).map((name) => path.join(out, name)).join("\n"));
} finally {
  server.close();
  server.closeAllConnections();
  fs.rmSync(work, { recursive: true, force: true });
}
