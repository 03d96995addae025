// Drives `taproot mcp` as an assistant does, with the official TypeScript SDK, and prints what it got, one JSON object per line.
// node client.mjs PROGRAM [ARGS...]; SITE is the address of the sample pages, WITHOUT_PAGES leaves those out.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [command, ...args] = process.argv.slice(2);
const tell = (step, value) => process.stdout.write(JSON.stringify({ step, ...value }) + '\n');
// With MCP_URL it talks to a server that runs already, over streamable HTTP, with the key MCP_KEY.
const transport = process.env.MCP_URL
  ? new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit: { headers: { 'X-API-Key': process.env.MCP_KEY } } })
  : new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
const client = new Client({ name: 'sdk-test', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
tell('tools', { count: tools.length, instructions: (client.getInstructions() ?? '').length });

const call = async (name, input, options) => client.callTool({ name, arguments: input }, undefined, options);
const words = r => r.content.filter(c => c.type === 'text').map(c => c.text).join('\n');
const good = async (name, input) => {
  const r = await call(name, input);
  if (r.isError) throw new Error(`${name} ${JSON.stringify(input)}: ${words(r)}`);
  return r;
};
const ref = (snapshot, ...parts) => {
  const line = words(snapshot).split('\n').find(l => parts.every(p => l.includes(p)));
  if (!line) throw new Error(`no ${parts} in\n${words(snapshot)}`);
  return line.split(' ')[0];
};

// A login on the phone, by label, with waits.
const phone = { device: 'SIM1' };
await good('launch', { package: 'com.example.login', force: true, ...phone });
await good('wait_for', { visible: { label: 'E-mail' }, ...phone });
await good('tap', { label: 'E-mail', ...phone });
await good('input', { text: 'ada@example.com', ...phone });
await good('tap', { label: 'Password', ...phone });
await good('input', { text: '${APP_PASSWORD}', ...phone });
tell('tap', { text: words(await good('tap', { label: 'Sign in', ...phone })) });
await good('assert', { label: 'Welcome, Ada', ...phone });
tell('devices', { devices: (await good('list_devices', {})).structuredContent.devices.map(d => d.id) });

// A picture.
const shot = await good('screenshot', { max_px: 400, ...phone });
const image = shot.content.find(c => c.type === 'image');
tell('image', { mimeType: image.mimeType, bytes: Buffer.from(image.data, 'base64').length, text: words(shot), structured: shot.structuredContent ?? null });

// A login on a page, by label and by reference.
const page = { device: 'web-1' };
if (!process.env.WITHOUT_PAGES) {
  await good('open_browser', { url: process.env.SITE + '/login.html' });
  await good('wait_for', { visible: { label: 'Email' }, ...page });
  const seen = await good('web_snapshot', page);
  await good('web_type', { ref: ref(seen, 'textbox', 'Email'), text: 'ada@example.com', ...page });
  await good('tap', { label: 'Password', ...page });
  await good('input', { text: '${APP_PASSWORD}', ...page });
  await good('web_click', { ref: ref(seen, 'button', 'Sign in'), ...page });
  await good('wait_for', { visible: { label: 'Welcome, Ada' }, ...page });
  await good('web_assert', { selector: '#welcome', text: 'Welcome, Ada', ...page });
}

// Errors.
const there = process.env.WITHOUT_PAGES ? phone : page;
const wrong = await call('assert', { label: process.env.WITHOUT_PAGES ? 'Welcome, Eve' : 'Paid', timeoutMs: 300, ...there });
tell('error', { isError: wrong.isError === true, text: words(wrong), structured: wrong.structuredContent ?? null });
const stray = await call('tap', { lable: 'x', ...there });
tell('argument', { isError: stray.isError === true, text: words(stray) });
try {
  const r = await call('no_such_tool', {});
  tell('unknown', { isError: r.isError === true });
} catch (e) {
  tell('unknown', { isError: true, code: e.code });
}

// Progress and abort: a wait that nobody can meet, until the first word of it.
let heard = 0;
const abort = new AbortController();
const began = Date.now();
const timer = setTimeout(() => abort.abort('nothing was heard'), 60000);
const onprogress = () => {
  heard++;
  abort.abort('enough');
};
try {
  await call('wait_for', { visible: { label: 'Never there' }, timeoutMs: 600000, ...phone }, { signal: abort.signal, onprogress, timeout: 600000 });
  tell('abort', { aborted: false });
} catch {
  const freed = Date.now();
  await good('device_info', phone); // it waits for its turn: the aborted call has left the phone
  tell('abort', { aborted: true, heard, after: freed - began, free: Date.now() - freed });
}
clearTimeout(timer);

// A run with progress.
let steps = 0;
const yaml = words(await good('get_report', { as: 'yaml' }));
const run = await client.callTool({ name: 'run_test', arguments: { yaml } }, undefined, { onprogress: () => steps++, timeout: 600000 });
tell('run', { isError: run.isError === true, text: words(run), steps, structured: run.structuredContent ?? null });
if (process.env.MCP_URL) {
  await transport.terminateSession();
} else {
  // The end of the input is all that ends it: close would kill it when a loaded machine needs more than four seconds.
  const server = transport._process;
  const ended = new Promise(resolve => server.once('close', resolve));
  server.stdin.end();
  await ended;
}
await client.close();
tell('closed', {});
