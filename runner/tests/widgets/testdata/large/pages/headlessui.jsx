/*
pass a switch
- tap: Notifications
- assert: {label: Notifications, checked: true}
model on true
fail a switch that is off
- assert: {label: Notifications, checked: true}
pass one of a list
- tap: Nobody
- tap: Grace
model person "Grace"
fail one that is disabled
- tap: Nobody
- tap: Alan
pass a suggestion
- tap: City
- input: Be
- tap: Bern
- assert: Bern
model city "Bern"
fail a suggestion that is searched away
- tap: City
- input: Be
- tap: Zug
pass a menu
- tap: Options
- tap: Archive
- assertNot: Archive
model pressed "archive"
fail a menu that is closed
- tap: Archive
pass a radio group
- tap: Business
- assert: {label: Business, checked: true}
model plan "Business"
fail another of its group
- tap: Business
- assert: {label: Hobby, checked: true}
model plan "Business"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {Switch, Field, Label, Listbox, ListboxButton, ListboxOptions, ListboxOption, Combobox, ComboboxInput, ComboboxOptions, ComboboxOption, Menu, MenuButton, MenuItems, MenuItem, RadioGroup, Radio} from '@headlessui/react';

const now = {};
function Form() {
  const [s, set] = useState({on: false, person: null, city: null, plan: null, query: ''});
  const put = part => set(old => ({...old, ...part}));
  Object.assign(now, s, {pressed: presses()});
  delete now.query;
  return <div style={{width: 320, display: 'grid', gap: 14}}>
    <Field><Label>Notifications</Label> <Switch checked={s.on} onChange={on => put({on})} style={{width: 44, height: 22, background: s.on ? 'green' : '#bbb'}} /></Field>
    <Listbox value={s.person} onChange={person => put({person})}><ListboxButton>{s.person || 'Nobody'}</ListboxButton><ListboxOptions>
      {['Ada', 'Grace'].map(n => <ListboxOption key={n} value={n}>{n}</ListboxOption>)}<ListboxOption value="Alan" disabled>Alan</ListboxOption></ListboxOptions></Listbox>
    <Combobox value={s.city} onChange={city => put({city})}><ComboboxInput aria-label="City" onChange={e => put({query: e.target.value})} />
      <ComboboxOptions>{['Basel', 'Bern', 'Zug'].filter(c => c.toLowerCase().includes(s.query.toLowerCase())).map(c => <ComboboxOption key={c} value={c}>{c}</ComboboxOption>)}</ComboboxOptions></Combobox>
    <Menu><MenuButton>Options</MenuButton><MenuItems><MenuItem><button onClick={() => { pressed('archive'); put({}); }}>Archive</button></MenuItem></MenuItems></Menu>
    <RadioGroup value={s.plan} onChange={plan => put({plan})} aria-label="Plan">{['Hobby', 'Business'].map(p => <Radio key={p} value={p} style={{padding: 6}}>{p}</Radio>)}</RadioGroup>
  </div>;
}
createRoot(element('#app')).render(<Form />);
reportOnce(now, () => ({...now, pressed: presses()}));
