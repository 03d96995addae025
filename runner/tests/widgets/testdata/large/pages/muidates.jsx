/*
pass a date by its parts
- tap: {label: Month, type: spinbutton}
- input: "05142024"
model date "2024-05-14"
fail another date
- tap: {label: Month, type: spinbutton}
- input: "05142024"
- assert: 05/15/2024
model date "2024-05-14"
pass a day of the calendar
- tap: {label: Choose date, match: prefix}
- tap: {label: "20", type: gridcell}
model date "2024-03-20"
fail a day that is disabled
- tap: {label: Choose date, match: prefix}
- tap: {label: "2", type: gridcell}
pass another month
- tap: {label: Choose date, match: prefix}
- tap: Next month
- assert: April 2024
- tap: {label: "9", type: gridcell}
model date "2024-04-09"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import dayjs from 'dayjs';
import {LocalizationProvider, DesktopDatePicker} from '@mui/x-date-pickers';
import {AdapterDayjs} from '@mui/x-date-pickers/AdapterDayjs';

const now = {date: '2024-03-10'};
function Form() {
  const [date, setDate] = useState(dayjs('2024-03-10'));
  now.date = date && date.isValid() ? date.format('YYYY-MM-DD') : null;
  return <LocalizationProvider dateAdapter={AdapterDayjs}><DesktopDatePicker label="Birthday" minDate={dayjs('2024-03-05')} value={date} onChange={setDate} /></LocalizationProvider>;
}
createRoot(element('#app')).render(<Form />);
report(() => now);
