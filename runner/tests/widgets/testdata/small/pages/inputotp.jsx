/*
pass a code
- tap: Code
- input: "704812"
- assert: Thank you
model code "704812"
fail a code that is too short
- tap: Code
- input: "70481"
- assert: Thank you
model code "70481"
fail letters are not taken
- tap: Code
- input: 70481x
model code "70481"
pass written anew
- tap: Code
- input: "111111"
- erase: {}
- input: "222222"
model code "222222"
*/
import {useState} from 'react';
import {createRoot} from 'react-dom/client';
import {OTPInput, REGEXP_ONLY_DIGITS} from 'input-otp';

const now = {code: ''};
function Form() {
  const [code, setCode] = useState('');
  now.code = code;
  return <div>
    <OTPInput aria-label="Code" maxLength={6} pattern={REGEXP_ONLY_DIGITS} value={code} onChange={setCode} render={({slots}) => <div style={{display: 'flex', gap: 6}}>
      {slots.map((s, i) => <div key={i} style={{width: 36, height: 44, border: '1px solid #888', textAlign: 'center', lineHeight: '44px'}}>{s.char}</div>)}
    </div>} />
    <p>{code.length === 6 ? 'Thank you' : 'Six digits, please'}</p>
  </div>;
}
createRoot(element('#app')).render(<Form />);
report(() => now);
