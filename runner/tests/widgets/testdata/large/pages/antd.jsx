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
pass a radio button
- tap: Large
- assert: {label: Large, checked: true}
model size "l"
fail a radio button that is not chosen
- tap: Large
- assert: {label: Small, checked: true}
model size "l"
pass a number
- tap: Guests
- press: control+a
- input: "7"
- press: tab
model guests 7
fail more than it may be
- tap: Guests
- press: control+a
- input: "70"
- press: tab
- assert: "70"
model guests 10
pass a dialog
- tap: Remove
- tap: Yes
- waitStable: {timeoutMs: 3000}
- assertNot: Really remove it?
model removed true
fail a dialog that is open
- tap: Remove
- assertNot: Really remove it?
pass a far option
- tap: {label: Year, type: combobox}
- scrollTo: {label: "1960", in: {css: .ant-select-dropdown}, timeoutMs: 20000}
- tap: "1960"
model year 1960
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {Checkbox, Switch, Select, Radio, InputNumber, Button, Popconfirm} from 'antd';

const now = {};
function Form() {
  const [s, set] = useState({agree: false, dark: false, city: null, size: null, guests: 2, removed: false, year: null});
  const put = part => set(old => ({...old, ...part}));
  Object.assign(now, s);
  return <div style={{width: 400, display: 'flex', flexDirection: 'column', gap: 12}}>
    <Checkbox checked={s.agree} onChange={e => put({agree: e.target.checked})}>I agree</Checkbox>
    <Checkbox disabled onChange={() => put({agree: 'locked'})}>Locked</Checkbox>
    <span><label htmlFor="d">Dark</label> <Switch id="d" checked={s.dark} onChange={dark => put({dark})} /></span>
    <label htmlFor="c">City</label><Select id="c" value={s.city} onChange={city => put({city})} options={[{value: 'ba', label: 'Basel'}, {value: 'be', label: 'Bern'}, {value: 'ch', label: 'Chur', disabled: true}]} />
    <label htmlFor="y">Year</label><Select id="y" value={s.year} onChange={year => put({year})} options={Array.from({length: 100}, (_, i) => ({value: 2020 - i, label: String(2020 - i)}))} />
    <Radio.Group value={s.size} onChange={e => put({size: e.target.value})} optionType="button" options={[{value: 's', label: 'Small'}, {value: 'l', label: 'Large'}]} />
    <span><label htmlFor="g">Guests</label> <InputNumber id="g" min={1} max={10} value={s.guests} onChange={guests => put({guests})} /></span>
    <Popconfirm title="Really remove it?" okText="Yes" cancelText="No" onConfirm={() => put({removed: true})}><Button>Remove</Button></Popconfirm>
  </div>;
}
createRoot(element('#app')).render(<Form />);
reportOnce(now, () => now);
