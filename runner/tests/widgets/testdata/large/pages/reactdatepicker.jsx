/*
pass a day of the calendar
- tap: Start
- tap: {label: "May 14th, 2024", match: contains}
- assert: 05/14/2024
model date "2024-05-14"
fail another day
- tap: Start
- tap: {label: "May 14th, 2024", match: contains}
- assert: 05/15/2024
model date "2024-05-14"
pass written
- tap: Start
- press: control+a
- input: 06/09/2024
- press: enter
model date "2024-06-09"
fail a day that is disabled
- tap: Start
- tap: {label: "May 2nd, 2024", match: contains}
pass another month
- tap: Start
- tap: Next Month
- assert: June 2024
- tap: {label: "June 20th, 2024", match: contains}
model date "2024-06-20"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import DatePicker from 'react-datepicker';
import 'react-datepicker/dist/react-datepicker.css';

const now = {date: '2024-05-10'};
const spell = d => d && [d.getFullYear(), String(d.getMonth() + 1).padStart(2, '0'), String(d.getDate()).padStart(2, '0')].join('-');
function Form() {
  const [date, setDate] = useState(new Date(2024, 4, 10));
  now.date = spell(date);
  return <div><label htmlFor="d">Start</label> <DatePicker id="d" selected={date} onChange={setDate} minDate={new Date(2024, 4, 5)} /></div>;
}
createRoot(element('#app')).render(<Form />);
report(() => now);
