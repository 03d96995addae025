/*
pass typed and pressed
- tap: Fruit
- input: bl
- tap: Blueberry
- assertElement: {label: Fruit, value: Blueberry}
model fruit "Blueberry"
fail searched away
- tap: Fruit
- input: bl
- tap: Apple
pass by keys
- tap: Fruit
- input: b
- press: down
- press: enter
- assertElement: {label: Fruit, value: Banana}
model fruit "Banana"
fail only pointed at
- tap: Fruit
- input: b
- press: down
- assertElement: {label: Fruit, value: Banana}
pass opened by its button
- tap: Show all
- tap: Cherry
model fruit "Cherry"
pass shut by leaving
- tap: Show all
- tap: Elsewhere
- assertNot: Cherry
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {useCombobox} from 'downshift';

const all = ['Apple', 'Banana', 'Blueberry', 'Cherry'], now = {fruit: ''};
function Box() {
  const [items, put] = useState(all), [fruit, set] = useState('');
  now.fruit = fruit || '';
  const c = useCombobox({items, onInputValueChange: ({inputValue}) => put(all.filter(x => x.toLowerCase().startsWith((inputValue || '').toLowerCase()))), onSelectedItemChange: ({selectedItem}) => set(selectedItem)});
  return <div><label {...c.getLabelProps()}>Fruit</label> <input {...c.getInputProps()} /><button aria-label="Show all" {...c.getToggleButtonProps()}>▾</button>
    <ul {...c.getMenuProps()} style={{listStyle: 'none', padding: 0, width: 200}}>{c.isOpen && items.map((x, i) => <li key={x} style={{background: c.highlightedIndex === i ? '#ddf' : ''}} {...c.getItemProps({item: x, index: i})}>{x}</li>)}</ul><p>Elsewhere</p></div>;
}
createRoot(document.getElementById('app')).render(<Box />);
report(() => ({...now}));
