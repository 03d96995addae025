/*
pass one of a list
- tap: Colour
- tap: Green
- assert: Green
model colour "green"
fail another one
- tap: Colour
- tap: Green
- assert: Red
model colour "green"
pass searched
- tap: Colour
- input: blu
- press: enter
- assert: Blue
model colour "blue"
fail one that is disabled
- tap: Colour
- tap: Grey
fail searched away
- tap: Colour
- input: blu
- tap: Green
pass several
- tap: Sizes
- tap: Small
- tap: Sizes
- tap: Large
- assert: Small
- assert: Large
model sizes ["s","l"]
fail one of them is removed
- tap: Sizes
- tap: Small
- tap: Remove Small
- assert: Small
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import Select from 'react-select';

const now = {colour: null, sizes: []};
function Form() {
  const [colour, setColour] = useState(null), [sizes, setSizes] = useState([]);
  now.colour = colour && colour.value;
  now.sizes = sizes.map(s => s.value);
  return <div style={{width: 300}}>
    <label htmlFor="c">Colour</label>
    <Select inputId="c" value={colour} onChange={setColour} options={[{value: 'red', label: 'Red'}, {value: 'green', label: 'Green'}, {value: 'blue', label: 'Blue'}, {value: 'grey', label: 'Grey', isDisabled: true}]} />
    <label htmlFor="s">Sizes</label>
    <Select inputId="s" isMulti value={sizes} onChange={setSizes} options={[{value: 's', label: 'Small'}, {value: 'm', label: 'Medium'}, {value: 'l', label: 'Large'}]} />
  </div>;
}
createRoot(element('#app')).render(<Form />);
report(() => now);
