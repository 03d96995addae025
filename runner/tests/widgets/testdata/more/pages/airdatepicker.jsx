/*
pass a day
- tap: Arrival
- tap: {label: "14", inside: {css: ".air-datepicker.-active-"}}
- assertElement: {label: Arrival, value: 05/14/2026}
model day "2026-05-14"
fail another one
- tap: Arrival
- tap: {label: "14", inside: {css: ".air-datepicker.-active-"}}
- assertElement: {label: Arrival, value: 05/15/2026}
model day "2026-05-14"
fail before the first day
- tap: Arrival
- tap: {label: "2", inside: {css: ".air-datepicker.-active-"}, first: true}
- assertElement: {label: Arrival, value: 05/02/2026}
pass it is shut by a key
- tap: Arrival
- press: escape
- assertNot: Su
fail it is still open
- tap: Arrival
- assertNot: Su
*/
import AirDatepicker from 'air-datepicker';
import en from 'air-datepicker/locale/en';
import 'air-datepicker/air-datepicker.css';

show('<label>Arrival <input id=i readonly></label>');
const d = new AirDatepicker('#i', {locale: (en.default || en), startDate: new Date(2026, 4, 1), minDate: new Date(2026, 4, 5), autoClose: true});
report(() => ({day: d.selectedDates[0] ? d.formatDate(d.selectedDates[0], 'yyyy-MM-dd') : ''}));
