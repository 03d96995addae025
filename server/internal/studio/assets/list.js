// The list of devices: each that can be used is a link to its page.
const state = document.getElementById("state"), list = document.getElementById("devices");

async function load() {
  const answer = await fetch("/devices");
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  list.replaceChildren(...found.map((d) => {
    const item = document.createElement("li"), name = `${d.model || d.platform} (${d.id})`;
    if (d.state === "device") {
      const link = document.createElement("a");
      link.href = "/studio/devices/" + encodeURIComponent(d.id);
      link.textContent = name;
      item.append(link, d.lease ? ` leased by ${d.lease.holder}` : "");
    } else {
      item.append(`${name}: ${d.problem || d.state}`);
    }
    return item;
  }));
  const none = "No device is attached. Connect a phone with USB debugging on.";
  state.textContent = found.length ? "Choose a device." : none;
}

load().catch((e) => { state.textContent = e.message; });
