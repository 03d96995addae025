/*
pass a day
- tap: {label: "14", inside: {type: grid}}
- assert: Chosen 2026-05-14
model day "2026-05-14"
fail another day
- tap: {label: "14", inside: {type: grid}}
- assert: Chosen 2026-05-15
model day "2026-05-14"
pass the next month
- tap: Go to the Next Month
- assert: June 2026
- tap: {label: "3", inside: {type: grid}}
model day "2026-06-03"
fail the month of before
- tap: Go to the Next Month
- assert: May 2026
fail a day that is not free
- tap: {label: "20", inside: {type: grid}}
pass the state of a day
- tap: {label: "14", inside: {type: grid}}
- assert: {label: "14", inside: {type: grid}, selected: true}
model day "2026-05-14"
fail the state of another one
- tap: {label: "14", inside: {type: grid}}
- assert: {label: "15", inside: {type: grid}, selected: true}
model day "2026-05-14"
pass by its whole name
- tap: {label: "May 14th, 2026", match: contains}
model day "2026-05-14"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {DayPicker} from 'react-day-picker';
import 'react-day-picker/style.css';

const now = {day: ''};
const iso = d => d ? `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}` : '';
function Pick() {
  const [day, set] = useState();
  now.day = iso(day);
  return <div><DayPicker mode="single" selected={day} onSelect={set} defaultMonth={new Date(2026, 4, 1)} disabled={new Date(2026, 4, 20)} /><p>{day && 'Chosen ' + iso(day)}</p></div>;
}
createRoot(document.getElementById('app')).render(<Pick />);
report(() => ({...now}));
