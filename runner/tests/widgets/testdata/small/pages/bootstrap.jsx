/*
pass a switch
- tap: Newsletter
- assert: {label: Newsletter, checked: true}
model newsletter true
fail a switch that is off
- assert: {label: Newsletter, checked: true}
pass a button that is drawn for a box
- tap: Express
- assert: {label: Express, checked: true}
model express true
fail one that is not chosen
- tap: Express
- assert: {label: Standard, checked: true}
model express true
pass a menu
- tap: Actions
- tap: Archive
model pressed "archive"
fail a menu that is closed
- tap: Archive
fail what is disabled in it
- tap: Actions
- tap: Restore
pass a dialog
- tap: Open dialog
- tap: {label: Confirm}
- assertNot: Are you sure?
model pressed "confirm"
fail what lies behind a dialog
- tap: Open dialog
- assert: Are you sure?
- tap: Actions
model dialog true
pass an accordion
- tap: Details
- assert: All that there is to know
model details true
fail an accordion that is shut
- assert: All that there is to know
pass a floating label
- tap: Email address
- input: ada@example.com
- assert: ada@example.com
model email "ada@example.com"
fail a tab that is not chosen
- tap: {label: Profile, type: tab}
- assert: {label: Home, selected: true}
model tab "profile"
pass a tab
- tap: {label: Profile, type: tab}
- assert: {label: Profile, selected: true}
- assert: Your profile
- assertNot: Welcome home
model tab "profile"
*/
import * as bootstrap from 'bootstrap';
import 'bootstrap/dist/css/bootstrap.css';

show(`<div class="form-check form-switch"><input class=form-check-input type=checkbox role=switch id=n><label class=form-check-label for=n>Newsletter</label></div>
<div class=btn-group role=group><input type=radio class=btn-check name=r id=r1><label class="btn btn-outline-primary" for=r1>Standard</label>
<input type=radio class=btn-check name=r id=r2><label class="btn btn-outline-primary" for=r2>Express</label></div>
<div class=dropdown><button class="btn btn-secondary dropdown-toggle" data-bs-toggle=dropdown>Actions</button><ul class=dropdown-menu>
<li><a class=dropdown-item href=# onclick="pressed('archive')">Archive</a></li><li><a class="dropdown-item disabled" aria-disabled=true href=# onclick="pressed('restore')">Restore</a></li></ul></div>
<button class="btn btn-primary" data-bs-toggle=modal data-bs-target=#m>Open dialog</button>
<div class="modal fade" id=m tabindex=-1><div class=modal-dialog><div class=modal-content><div class=modal-body>Are you sure?</div>
<div class=modal-footer><button class="btn btn-danger" data-bs-dismiss=modal onclick="pressed('confirm')">Confirm</button></div></div></div></div>
<div class=accordion><div class=accordion-item><h2 class=accordion-header><button class="accordion-button collapsed" data-bs-toggle=collapse data-bs-target=#c>Details</button></h2>
<div id=c class="accordion-collapse collapse"><div class=accordion-body>All that there is to know</div></div></div></div>
<div class=form-floating><input type=email class=form-control id=e placeholder="name@example.com"><label for=e>Email address</label></div>
<ul class="nav nav-tabs" role=tablist><li class=nav-item role=presentation><button class="nav-link active" id=t1 data-bs-toggle=tab data-bs-target=#p1 role=tab aria-selected=true>Home</button></li>
<li class=nav-item role=presentation><button class=nav-link id=t2 data-bs-toggle=tab data-bs-target=#p2 role=tab aria-selected=false>Profile</button></li></ul>
<div class=tab-content><div class="tab-pane fade show active" id=p1>Welcome home</div><div class="tab-pane fade" id=p2>Your profile</div></div>`);
let dialog = false, details = false, tab = 'home';
element('#m').addEventListener('show.bs.modal', () => { dialog = true; });
element('#m').addEventListener('hidden.bs.modal', () => { dialog = false; });
element('#c').addEventListener('show.bs.collapse', () => { details = true; });
element('#t2').addEventListener('show.bs.tab', () => { tab = 'profile'; });
window.bootstrap = bootstrap;
report(() => ({newsletter: element('#n').checked, express: element('#r2').checked, standard: element('#r1').checked, pressed: presses(), dialog, details, tab, email: element('#e').value}));
