/*
pass a text field
- tap: Name
- input: Ada
- assertElement: {label: Name, value: Ada}
model name "Ada"
fail another text
- tap: Name
- input: Ada
- assertElement: {label: Name, value: Bob}
model name "Ada"
pass a switch
- assert: {label: News, checked: false}
- tap: News
- assert: {label: News, checked: true}
model news true
fail a switch that is off
- tap: News
- tap: News
- assert: {label: News, checked: true}
fail a box that is disabled
- tap: Locked
pass one of a list
- tap: {label: Size, type: input}
- tap: Large
- assertElement: {label: Size, value: Large}
model size "l"
fail a disabled entry
- tap: {label: Size, type: input}
- tap: Huge
pass several of a list
- tap: Tags
- tap: Red
- tap: Blue
- press: escape
- assert: {label: Red}
model tags ["red","blue"]
pass the parts of a segment
- tap: Week
- assert: {label: Week, checked: true}
- assert: {label: Day, checked: false}
model view "week"
fail a part that is not chosen
- tap: Week
- assert: {label: Day, checked: true}
model view "week"
pass a number by its arrows
- tap: Guests
- press: up
- press: up
- assertElement: {label: Guests, value: "4"}
model guests 4
fail a number over the most
- input: {text: "99", into: Guests, replace: true}
- press: tab
- assertElement: {label: Guests, value: "99"}
model guests 10
pass a dialog
- tap: Remove
- tap: {label: Yes, inside: {type: dialog}}
- assertNot: Are you sure?
model removed true
fail behind a dialog
- tap: Remove
- assert: Are you sure?
- tap: Name
model open true
pass a code in boxes
- tap: {label: PinInput, first: true}
- input: "4711"
model pin "4711"
pass an accordion
- tap: Shipping
- assert: In two days
model panel "s"
fail one that is shut
- tap: Shipping
- assert: Thirty days
model panel "s"
pass chips
- tap: Vegan
- assert: {label: Vegan, checked: true}
model chips ["vegan"]
*/
import '@mantine/core/styles.css';
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {MantineProvider, TextInput, Switch, Checkbox, Select, MultiSelect, SegmentedControl, NumberInput, Button, Modal, PinInput, Accordion, Chip, Group} from '@mantine/core';

const now = {};
function Form() {
  const [s, set] = useState({name: '', news: false, locked: false, size: null, tags: [], view: 'day', guests: 2, open: false, removed: false, pin: '', panel: null, chips: []});
  const put = part => set(old => ({...old, ...part}));
  Object.assign(now, s);
  return <MantineProvider><div style={{width: 420, display: 'flex', flexDirection: 'column', gap: 8}}>
    <TextInput label="Name" required value={s.name} onChange={e => put({name: e.target.value})} />
    <Switch label="News" checked={s.news} onChange={e => put({news: e.target.checked})} />
    <Checkbox label="Locked" disabled checked={s.locked} onChange={e => put({locked: e.target.checked})} />
    <Select label="Size" placeholder="Pick one" value={s.size} onChange={size => put({size})} data={[{value: 's', label: 'Small'}, {value: 'l', label: 'Large'}, {value: 'h', label: 'Huge', disabled: true}]} />
    <MultiSelect label="Tags" value={s.tags} onChange={tags => put({tags})} data={[{value: 'red', label: 'Red'}, {value: 'blue', label: 'Blue'}]} />
    <SegmentedControl value={s.view} onChange={view => put({view})} data={[{value: 'day', label: 'Day'}, {value: 'week', label: 'Week'}]} />
    <NumberInput label="Guests" value={s.guests} min={1} max={10} onChange={guests => put({guests})} />
    <PinInput length={4} value={s.pin} onChange={pin => put({pin})} />
    <Group><Chip.Group multiple value={s.chips} onChange={chips => put({chips})}><Chip value="vegan">Vegan</Chip><Chip value="spicy">Spicy</Chip></Chip.Group></Group>
    <Button onClick={() => put({open: true})}>Remove</Button>
    <Modal opened={s.open} onClose={() => put({open: false})} title="Are you sure?"><Button onClick={() => put({open: false, removed: true})}>Yes</Button></Modal>
    <Accordion value={s.panel} onChange={panel => put({panel})}><Accordion.Item value="s"><Accordion.Control>Shipping</Accordion.Control><Accordion.Panel>In two days</Accordion.Panel></Accordion.Item>
      <Accordion.Item value="r"><Accordion.Control>Returns</Accordion.Control><Accordion.Panel>Thirty days</Accordion.Panel></Accordion.Item></Accordion>
  </div></MantineProvider>;
}
createRoot(document.getElementById('app')).render(<Form />);
reportOnce(now, () => ({...now}));
