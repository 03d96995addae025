/*
pass a box
- tap: I agree
- assert: {label: I agree, checked: true}
model agree true
fail a box that is off
- assert: {label: I agree, checked: true}
fail a box that is disabled
- tap: Locked
pass a switch
- tap: Dark
- assert: {label: Dark, checked: true}
model dark true
pass one of a list
- tap: {label: City, type: combobox}
- tap: Bern
- assert: Bern
model city "be"
fail one that is disabled
- tap: {label: City, type: combobox}
- tap: Chur
pass a tab
- tap: Password
- assert: {label: Password, selected: true}
- assert: Change it here
model tab "p"
fail a tab that is not chosen
- assert: Change it here
pass a slider by keys
- tap: {label: Volume, type: slider}
- press: right
model volume 51
pass a dialog
- tap: Edit
- assert: Edit profile
- tap: Close
- assertNot: Edit profile
fail what lies behind a dialog
- tap: Edit
- assert: Edit profile
- tap: Dark
model open true
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {Checkbox, Switch, Select, Tabs, Slider, Dialog} from 'radix-ui';

const now = {};
function Form() {
  const [s, set] = useState({agree: false, locked: false, dark: false, city: '', tab: 'a', volume: 50, open: false});
  const put = part => set(old => ({...old, ...part}));
  Object.assign(now, s);
  const box = {width: 22, height: 22, border: '1px solid'};
  return <div style={{width: 340, display: 'grid', gap: 12}}>
    <div><Checkbox.Root id="a" style={box} checked={s.agree} onCheckedChange={agree => put({agree})}><Checkbox.Indicator>✓</Checkbox.Indicator></Checkbox.Root> <label htmlFor="a">I agree</label></div>
    <div><Checkbox.Root id="l" style={box} disabled onCheckedChange={locked => put({locked})} /> <label htmlFor="l">Locked</label></div>
    <div><label htmlFor="d">Dark</label> <Switch.Root id="d" style={{...box, width: 44}} checked={s.dark} onCheckedChange={dark => put({dark})}><Switch.Thumb style={{display: 'block', width: 18, height: 18, background: '#333'}} /></Switch.Root></div>
    <Select.Root value={s.city} onValueChange={city => put({city})}><Select.Trigger aria-label="City"><Select.Value placeholder="Pick one" /></Select.Trigger><Select.Portal><Select.Content position="popper" style={{background: '#fff', border: '1px solid'}}><Select.Viewport>
      {[['ba', 'Basel'], ['be', 'Bern']].map(([v, n]) => <Select.Item key={v} value={v}><Select.ItemText>{n}</Select.ItemText></Select.Item>)}<Select.Item value="ch" disabled><Select.ItemText>Chur</Select.ItemText></Select.Item></Select.Viewport></Select.Content></Select.Portal></Select.Root>
    <Tabs.Root value={s.tab} onValueChange={tab => put({tab})}><Tabs.List><Tabs.Trigger value="a">Account</Tabs.Trigger><Tabs.Trigger value="p">Password</Tabs.Trigger></Tabs.List><Tabs.Content value="a">Your account</Tabs.Content><Tabs.Content value="p">Change it here</Tabs.Content></Tabs.Root>
    <Slider.Root value={[s.volume]} onValueChange={([volume]) => put({volume})} style={{position: 'relative', display: 'flex', alignItems: 'center', width: 200, height: 20}}><Slider.Track style={{background: '#ccc', height: 4, flexGrow: 1, position: 'relative'}}><Slider.Range style={{position: 'absolute', background: '#333', height: '100%'}} /></Slider.Track><Slider.Thumb aria-label="Volume" style={{display: 'block', width: 18, height: 18, background: '#36c', borderRadius: 9}} /></Slider.Root>
    <Dialog.Root open={s.open} onOpenChange={open => put({open})}><Dialog.Trigger>Edit</Dialog.Trigger><Dialog.Portal><Dialog.Overlay style={{position: 'fixed', inset: 0, background: '#0008'}} /><Dialog.Content aria-describedby={undefined} style={{position: 'fixed', left: 400, top: 100, background: '#fff', padding: 30}}><Dialog.Title>Edit profile</Dialog.Title><Dialog.Close>Close</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root>
  </div>;
}
createRoot(element('#app')).render(<Form />);
reportOnce(now, () => now);
