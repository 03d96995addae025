/*
pass a date by its parts
- tap: {label: "month, Due", match: contains, type: spinbutton}
- input: "05142024"
model date "2024-05-14"
fail another year
- tap: {label: "month, Due", match: contains, type: spinbutton}
- input: "05142024"
- assert: "2025"
model date "2024-05-14"
pass one of a list
- tap: {label: Animal, match: contains, type: button}
- tap: Cat
model animal "cat"
fail one that is disabled
- tap: {label: Animal, match: contains, type: button}
- tap: Dog
pass a switch
- tap: Quiet
- assert: {label: Quiet, checked: true}
model quiet true
fail a switch that is off
- assert: {label: Quiet, checked: true}
pass a box of a list
- tap: {label: Soup, type: row}
- assert: {label: Soup, type: row, selected: true}
model dishes ["soup"]
fail another box of a list
- tap: {label: Soup, type: row}
- assert: {label: Salad, type: row, selected: true}
model dishes ["soup"]
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {DateField, DateInput, DateSegment, Label, Select, SelectValue, Button, Popover, ListBox, ListBoxItem, Switch, GridList, GridListItem} from 'react-aria-components';

const now = {date: null, animal: null, quiet: false, dishes: []};
function Form() {
  const [dishes, setDishes] = useState(new Set());
  now.dishes = [...dishes];
  return <div style={{width: 340, display: 'grid', gap: 14}}>
    <DateField onChange={d => { now.date = d && d.toString(); }}><Label>Due</Label><DateInput style={{display: 'flex', border: '1px solid', padding: 4}}>{s => <DateSegment segment={s} style={{padding: 2}} />}</DateInput></DateField>
    <Select onChange={k => { now.animal = k; }}><Label>Animal</Label><Button><SelectValue /></Button><Popover style={{background: '#fff', border: '1px solid'}}><ListBox><ListBoxItem id="cat">Cat</ListBoxItem><ListBoxItem id="dog" isDisabled>Dog</ListBoxItem></ListBox></Popover></Select>
    <Switch onChange={q => { now.quiet = q; }}><div style={{width: 40, height: 20, background: '#ccc'}} />Quiet</Switch>
    <GridList aria-label="Dishes" selectionMode="multiple" selectedKeys={dishes} onSelectionChange={setDishes}><GridListItem id="soup" textValue="Soup">Soup</GridListItem><GridListItem id="salad" textValue="Salad">Salad</GridListItem></GridList>
  </div>;
}
createRoot(element('#app')).render(<Form />);
reportOnce(now, () => now);
