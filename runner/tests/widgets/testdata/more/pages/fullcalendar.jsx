/*
pass a date is pressed
- tap: {label: "14", inside: {type: grid}}
- assert: New on 2026-05-14
model clicked "2026-05-14"
pass what is on a day is pressed
- tap: Meeting
- assert: Opened Meeting
model opened "Meeting"
fail another one
- tap: Meeting
- assert: Opened Lunch
model opened "Meeting"
pass moved to another day
- drag: {from: Meeting, to: {css: "td[data-date='2026-05-20']"}}
- waitStable:
model day "2026-05-20"
fail what cannot be moved
- drag: {from: Holiday, to: {css: "td[data-date='2026-05-21']"}}
- assert: Moved Holiday
pass the next month
- tap: Next month
- assert: June 2026
- assertNot: Meeting
model month "June 2026"
fail the month of before
- tap: Next month
- assert: May 2026
model month "June 2026"
*/
import {Calendar} from '@fullcalendar/core';
import dayGrid from '@fullcalendar/daygrid';
import interaction from '@fullcalendar/interaction';

show('<div style="width:900px"><div id=c></div></div><p id=o></p>');
const now = {clicked: '', opened: '', day: '2026-05-12', holiday: '2026-05-01', month: 'May 2026'}, say = t => { element('#o').textContent = t; };
new Calendar(element('#c'), {plugins: [dayGrid, interaction], initialDate: '2026-05-01', initialView: 'dayGridMonth', height: 560, editable: true, buttonHints: {next: 'Next $0', prev: 'Previous $0'},
  events: [{id: 'm', title: 'Meeting', start: '2026-05-12'}, {id: 'h', title: 'Holiday', start: '2026-05-01', editable: false}],
  dateClick: i => { now.clicked = i.dateStr; say('New on ' + i.dateStr); }, eventClick: i => { now.opened = i.event.title; say('Opened ' + i.event.title); },
  eventDrop: i => { now[i.event.id === 'm' ? 'day' : 'holiday'] = i.event.startStr; say('Moved ' + i.event.title); }, datesSet: i => { now.month = i.view.title; }}).render();
report(() => ({...now}));
