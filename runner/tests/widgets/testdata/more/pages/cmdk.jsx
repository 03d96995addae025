/*
pass found and run by a key
- tap: Type a command
- input: sett
- press: enter
- assert: Ran Settings
model ran "settings"
fail another one
- tap: Type a command
- input: sett
- press: enter
- assert: Ran Profile
model ran "settings"
pass pressed
- tap: Profile
- assert: Ran Profile
model ran "profile"
fail searched away
- tap: Type a command
- input: sett
- tap: Profile
pass the one that is pointed at
- tap: Type a command
- press: down
- assert: {label: Profile, selected: true}
fail another one is pointed at
- tap: Type a command
- press: down
- assert: {label: Settings, selected: true}
fail a disabled one
- tap: Billing
pass nothing is found
- tap: Type a command
- input: zzz
- assert: No results
fail some are
- tap: Type a command
- input: pro
- assert: No results
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {Command} from 'cmdk';

const now = {ran: ''};
function Menu() {
  const [ran, set] = useState('');
  now.ran = ran;
  const run = v => () => set(v);
  return <div style={{width: 300}}><style>{'[data-selected=true]{background:#ddf}[data-disabled=true]{opacity:.5}'}</style><Command label="Commands"><Command.Input placeholder="Type a command" /><Command.List><Command.Empty>No results</Command.Empty>
    <Command.Group heading="Pages"><Command.Item onSelect={run('settings')}>Settings</Command.Item><Command.Item onSelect={run('profile')}>Profile</Command.Item><Command.Item disabled onSelect={run('billing')}>Billing</Command.Item></Command.Group></Command.List></Command>
    <p>{ran && 'Ran ' + ran[0].toUpperCase() + ran.slice(1)}</p></div>;
}
createRoot(document.getElementById('app')).render(<Menu />);
report(() => ({...now}));
