/*
pass a text field
- tap: First name
- input: Ada
- assert: Ada
model name "Ada"
fail another text
- tap: First name
- input: Ada
- assert: Bob
model name "Ada"
pass a switch
- tap: Wi-Fi
- assert: {label: Wi-Fi, checked: true}
model wifi true
fail a switch that is off
- assert: {label: Wi-Fi, checked: true}
fail a box that is disabled
- tap: Locked
pass one of a list
- tap: {label: Age, type: combobox}
- tap: Twenty
- assert: Twenty
model age 20
fail one that is disabled
- tap: {label: Age, type: combobox}
- tap: Forty
pass a suggestion
- tap: Film
- input: god
- tap: The Godfather
model film "The Godfather"
fail a suggestion that is searched away
- tap: Film
- input: god
- tap: Alien
pass a slider by keys
- tap: {label: Volume, type: slider}
- press: right
model volume 51
pass a tab
- tap: {label: Two, type: tab}
- assert: {label: Two, selected: true}
model tab 1
fail a tab that is not chosen
- tap: {label: Two, type: tab}
- assert: {label: One, selected: true}
model tab 1
pass a dialog
- tap: Delete all
- tap: Agree
- assertNot: Are you sure?
model agreed true
fail what lies behind a dialog
- tap: Delete all
- assert: Are you sure?
- tap: Wi-Fi
model open true
pass a star
- tap: 4 Stars
- assert: {label: 4 Stars, checked: true}
model stars 4
fail a star that is not chosen
- tap: 4 Stars
- assert: {label: 3 Stars, checked: true}
model stars 4
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {TextField, FormControlLabel, Switch, Checkbox, Select, MenuItem, InputLabel, FormControl, Autocomplete, Slider, Tabs, Tab, Button, Dialog, DialogTitle, DialogActions, Rating} from '@mui/material';

const now = {};
function Form() {
  const [s, set] = useState({name: '', wifi: false, locked: false, age: '', film: null, volume: 50, tab: 0, open: false, agreed: false, stars: null});
  const put = part => set(old => ({...old, ...part}));
  Object.assign(now, s);
  return <div style={{width: 400, display: 'flex', flexDirection: 'column', gap: 12}}>
    <TextField label="First name" size="small" value={s.name} onChange={e => put({name: e.target.value})} />
    <FormControlLabel control={<Switch checked={s.wifi} onChange={e => put({wifi: e.target.checked})} />} label="Wi-Fi" />
    <FormControlLabel disabled control={<Checkbox checked={s.locked} onChange={e => put({locked: e.target.checked})} />} label="Locked" />
    <FormControl size="small"><InputLabel id="l">Age</InputLabel><Select labelId="l" label="Age" value={s.age} onChange={e => put({age: e.target.value})}>
      <MenuItem value={10}>Ten</MenuItem><MenuItem value={20}>Twenty</MenuItem><MenuItem value={40} disabled>Forty</MenuItem></Select></FormControl>
    <Autocomplete size="small" options={['The Godfather', 'Alien', 'Goodfellas']} value={s.film} onChange={(e, film) => put({film})} renderInput={p => <TextField {...p} label="Film" />} />
    <Slider aria-label="Volume" value={s.volume} onChange={(e, volume) => put({volume})} />
    <Tabs value={s.tab} onChange={(e, tab) => put({tab})}><Tab label="One" /><Tab label="Two" /></Tabs>
    <Rating value={s.stars} onChange={(e, stars) => put({stars})} />
    <Button onClick={() => put({open: true})}>Delete all</Button>
    <Dialog open={s.open} onClose={() => put({open: false})}><DialogTitle>Are you sure?</DialogTitle><DialogActions><Button onClick={() => put({open: false, agreed: true})}>Agree</Button></DialogActions></Dialog>
  </div>;
}
createRoot(element('#app')).render(<Form />);
reportOnce(now, () => now);
