/*
pass moved down in its list
- drag: {from: Sweep, to: Paint}
- assert: {label: Sweep, below: Paint}
model todo ["Paint","Sweep","Wash"]
pass moved to the other list
- drag: {from: Sweep, to: {label: Drop here}}
- assert: {label: Sweep, below: Done}
model todo ["Paint","Wash"]
model done ["Sweep"]
fail it is not there any more
- drag: {from: Sweep, to: {label: Drop here}}
- assert: {label: Sweep, below: To do}
model todo ["Paint","Wash"]
model done ["Sweep"]
pass by keys
- press: tab
- press: space
- press: down
- press: space
- assert: {label: Sweep, below: Paint}
model todo ["Paint","Sweep","Wash"]
fail what cannot be moved
- drag: {from: Fixed, to: Sweep}
- assert: {label: Fixed, above: Sweep}
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {DragDropContext, Droppable, Draggable} from '@hello-pangea/dnd';

const now = {todo: ['Sweep', 'Paint', 'Wash'], done: []};
function Board() {
  const [s, set] = useState({...now});
  Object.assign(now, s);
  const end = r => {
    if (!r.destination) return;
    const to = {todo: [...s.todo], done: [...s.done]}, [card] = to[r.source.droppableId].splice(r.source.index, 1);
    to[r.destination.droppableId].splice(r.destination.index, 0, card);
    set(to);
  };
  const list = (id, title) => <div style={{width: 200}}><h4>{title}</h4><Droppable droppableId={id}>{p => <div ref={p.innerRef} {...p.droppableProps} style={{minHeight: 120, background: '#eee', padding: 8}}>
    {s[id].map((x, i) => <Draggable key={x} draggableId={x} index={i}>{q => <div ref={q.innerRef} {...q.draggableProps} {...q.dragHandleProps} style={{background: '#fff', padding: 8, margin: '4px 0', ...q.draggableProps.style}}>{x}</div>}</Draggable>)}
    {s[id].length ? null : <p>Drop here</p>}{p.placeholder}</div>}</Droppable></div>;
  return <DragDropContext onDragEnd={end}><div style={{display: 'flex', gap: 20}}>{list('todo', 'To do')}{list('done', 'Done')}</div><p>Fixed</p></DragDropContext>;
}
createRoot(document.getElementById('app')).render(<Board />);
report(() => ({...now}));
