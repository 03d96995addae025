/*
pass a day of the calendar
- tap: Departure
- tap: May 14, 2024
- assert: "2024-05-14"
model departure "2024-05-14"
fail another day
- tap: Departure
- tap: May 14, 2024
- assert: "2024-05-15"
model departure "2024-05-14"
pass the next month
- tap: Departure
- tap: {css: .flatpickr-calendar.open .flatpickr-next-month}
- tap: June 3, 2024
model departure "2024-06-03"
fail a day that is out of bounds
- tap: Departure
- tap: May 2, 2024
pass a written date
- tap: Arrival
- press: control+a
- input: "2024-06-09"
- press: enter
- assert: "2024-06-09"
model arrival "2024-06-09"
pass a closed calendar is gone
- tap: Departure
- tap: May 14, 2024
- assertNot: May 20, 2024
model departure "2024-05-14"
fail an open one is not
- tap: Departure
- assertNot: May 20, 2024
pass the day is selected
- tap: Departure
- tap: May 14, 2024
- tap: Departure
- assert: {label: "May 14, 2024"}
- assert: {css: .flatpickr-day.selected, label: "May 14, 2024"}
model departure "2024-05-14"
*/
import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.css';

show('<p><label>Departure <input id=a></label></p><p><label>Arrival <input id=b></label></p>');
const a = flatpickr('#a', {defaultDate: '2024-05-10', minDate: '2024-05-05'});
const b = flatpickr('#b', {allowInput: true, defaultDate: '2024-06-01'});
const day = p => p.selectedDates.map(d => p.formatDate(d, 'Y-m-d')).join();
report(() => ({departure: day(a), arrival: day(b)}));
