/*
pass dropped on a target
- drag: {from: Parcel, to: Box two}
- assert: In box two
model at "two"
fail another target
- drag: {from: Parcel, to: Box two}
- assert: In box one
model at "two"
pass by keys
- tap: Parcel
- press: [enter, right, right, right, right, right, right, right, right, enter]
- assert: In box one
model at "one"
fail let go beside all of them
- drag: {from: Parcel, to: Nowhere}
- assert: In box one
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {DndContext, useDraggable, useDroppable, PointerSensor, KeyboardSensor, useSensor, useSensors} from '@dnd-kit/core';

const now = {at: ''};
const Parcel = () => { const {attributes, listeners, setNodeRef, transform: t} = useDraggable({id: 'p'}); return <button ref={setNodeRef} {...listeners} {...attributes} style={{transform: t ? `translate(${t.x}px,${t.y}px)` : '', width: 80, position: 'relative', zIndex: 2}}>Parcel</button>; };
const Box = ({id, name}) => { const {setNodeRef, isOver} = useDroppable({id}); return <div ref={setNodeRef} style={{width: 120, height: 80, border: '1px solid', background: isOver ? '#dfd' : ''}}>{name}</div>; };
function Board() {
  const [at, set] = useState('');
  now.at = at;
  const sensors = useSensors(useSensor(PointerSensor, {activationConstraint: {distance: 5}}), useSensor(KeyboardSensor));
  return <DndContext sensors={sensors} onDragEnd={e => set(e.over ? e.over.id : '')}><div style={{display: 'flex', gap: 60}}><Parcel /><Box id="one" name="Box one" /><Box id="two" name="Box two" /><div style={{width: 100}}>Nowhere</div></div><p>{at && 'In box ' + at}</p></DndContext>;
}
createRoot(document.getElementById('app')).render(<Board />);
report(() => ({...now}));
