/*
pass a far row of the first list
- scrollTo: {label: Mail 900, in: {id: mails}, timeoutMs: 25000}
- tap: Mail 900
model mail 900
fail a row that is not there
- scrollTo: {label: Mail 9000, in: {id: mails}, timeoutMs: 25000}
pass a far row of the second list
- scrollTo: {label: Chat 600, in: {id: chats}, timeoutMs: 25000}
- tap: Chat 600
model chat 600
fail it is not in the first one
- scrollTo: {label: Chat 600, in: {id: chats}, timeoutMs: 25000}
- tap: {label: Chat 600, inside: {id: mails}}
pass down and up again
- scrollTo: {label: Mail 300, in: {id: mails}, timeoutMs: 25000}
- scrollTo: {label: Mail 2, in: {id: mails}, direction: up, timeoutMs: 25000}
- tap: Mail 2
model mail 2
fail far rows are not on the screen
- assert: Mail 300
*/
import {useRef} from 'react';
import {createRoot} from 'react-dom/client';
import {useVirtualizer} from '@tanstack/react-virtual';
import {List} from 'react-window';

const now = {mail: 0, chat: 0};
function Mails() {
  const box = useRef(null);
  const rows = useVirtualizer({count: 1000, getScrollElement: () => box.current, estimateSize: i => i % 3 ? 34 : 60, overscan: 3});
  return <div id="mails" ref={box} style={{height: 300, width: 300, overflow: 'auto', border: '1px solid'}}>
    <div style={{height: rows.getTotalSize(), position: 'relative'}}>{rows.getVirtualItems().map(v =>
      <div key={v.key} onClick={() => { now.mail = v.index; }} style={{position: 'absolute', top: 0, transform: `translateY(${v.start}px)`, height: v.size, width: '100%'}}>Mail {v.index}</div>)}</div>
  </div>;
}
const Row = ({index, style}) => <div style={style} onClick={() => { now.chat = index; }}>Chat {index}</div>;
createRoot(element('#app')).render(<div style={{display: 'flex', gap: 20}}><Mails />
  <div id="chats" style={{height: 300, width: 300, border: '1px solid'}}><List rowComponent={Row} rowCount={1000} rowHeight={30} rowProps={{}} style={{height: 300}} /></div></div>);
reportOnce(now, () => now);
