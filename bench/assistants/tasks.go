package main

// task is a task for an assistant, as calls of both servers. Those of playwright-mcp name an element as {role "name"},
// which is looked up in the last snapshot, as an assistant does it.
type task struct {
	name   string
	phone  bool // on the simulated phone, which playwright-mcp does not support
	ours   []call
	theirs []call
}

// call is a call of a tool. SITE is replaced by the URL of the pages.
type call struct {
	tool string
	args string // JSON
	want string // the response must contain it, or the task fails
}

func tasks() []task {
	return []task{formTask(), shopTask(), logInTask(), longTask(), phoneTask()}
}

func formTask() task {
	return task{name: "form: 11 steps", ours: []call{
		{"open_browser", `{"url": "SITE/form.html", "then": "snapshot"}`, "First name"},
		{"input", `{"fields": {"First name": "Ada", "Last name": "Lovelace", "E-mail": "ada@example.com", "Country": ` +
			`"Japan", "Remarks": "none"}}`, "5 fields"},
		{"tap", `{"label": "Family"}`, ""}, {"tap", `{"label": "Send me news"}`, ""}, {"tap", `{"label": "Register"}`, ""},
		{"assert", `{"label": "Welcome, Ada Lovelace, Family"}`, "ok"},
	}, theirs: []call{
		{"browser_navigate", `{"url": "SITE/form.html"}`, ""}, {"browser_snapshot", `{}`, "First name"},
		{"browser_fill_form",
			`{"fields": [{"name": "First name", "type": "textbox", "element": "First name", "target": "{textbox \"First ` +
				`name\"}", "value": "Ada"},
				{"name": "Last name", "type": "textbox", "element": "Last name", "target": "{textbox \"Last name\"}", "value": ` +
				`"Lovelace"},
				{"name": "E-mail", "type": "textbox", "element": "E-mail", "target": "{textbox \"E-mail\"}", "value": ` +
				`"ada@example.com"},
				{"name": "Country", "type": "combobox", "element": "Country", "target": "{combobox \"Country\"}", "value": "Japan"},
				{"name": "Remarks", "type": "textbox", "element": "Remarks", "target": "{textbox \"Remarks\"}", "value": "none"},
				{"name": "Family", "type": "radio", "element": "Family", "target": "{radio \"Family\"}", "value": "true"},
				{"name": "News", "type": "checkbox", "element": "Send me news", "target": "{checkbox \"Send me news\"}", ` +
				`"value": "true"}]}`, ""},
		{"browser_click", `{"element": "Register", "target": "{button \"Register\"}"}`, ""},
		{"browser_wait_for", `{"text": "Welcome, Ada Lovelace, Family"}`, ""},
	}}
}

func shopTask() task {
	return task{name: "shop: 13 steps", ours: []call{
		{"open_browser", `{"url": "SITE/shop.html", "then": "snapshot"}`, "Add Spade"},
		{"input", `{"fields": {"Search": "s"}, "then": "diff"}`, "Add"},
		{"tap", `{"label": "Add Spade"}`, ""}, {"assert", `{"label": "1 items"}`, "ok"},
		{"tap", `{"label": "Add Seeds"}`, ""}, {"assert", `{"label": "2 items"}`, "ok"},
		{"tap", `{"label": "Basket", "then": "diff"}`, "Voucher"},
		{"input", `{"fields": {"Voucher": "GREEN", "Delivery": "Courier"}}`, "2 fields"},
		{"tap", `{"label": "Apply"}`, ""}, {"assert", `{"label": "Total 17 €"}`, "ok"},
		{"tap", `{"label": "I agree to the terms"}`, ""}, {"tap", `{"label": "Order"}`, ""},
		{"scroll_to", `{"label": "Thank you, Courier comes"}`, "ok"},
	}, theirs: []call{
		{"browser_navigate", `{"url": "SITE/shop.html"}`, ""}, {"browser_snapshot", `{}`, "Add Spade"},
		{"browser_type", `{"element": "Search", "target": "{textbox \"Search\"}", "text": "s"}`, ""},
		{"browser_wait_for", `{"textGone": "Rake"}`, ""}, {"browser_snapshot", `{}`, "Add Spade"},
		{"browser_click", `{"element": "Add Spade", "target": "{button \"Add Spade\"}"}`, ""},
		{"browser_wait_for", `{"text": "1 items"}`, ""},
		{"browser_click", `{"element": "Add Seeds", "target": "{button \"Add Seeds\"}"}`, ""},
		{"browser_wait_for", `{"text": "2 items"}`, ""},
		{"browser_click", `{"element": "Basket", "target": "{button \"Basket\"}"}`, ""},
		{"browser_wait_for", `{"text": "Your basket"}`, ""}, {"browser_snapshot", `{}`, "Voucher"},
		{"browser_fill_form",
			`{"fields": [{"name": "Voucher", "type": "textbox", "element": "Voucher", "target": "{textbox \"Voucher\"}", ` +
				`"value": "GREEN"},
				{"name": "Delivery", "type": "combobox", "element": "Delivery", "target": "{combobox \"Delivery\"}", "value": ` +
				`"Courier"},
				{"name": "terms", "type": "checkbox", "element": "I agree to the terms", "target": "{checkbox \"I agree to the ` +
				`terms\"}", "value": "true"}]}`, ""},
		{"browser_click", `{"element": "Apply", "target": "{button \"Apply\"}"}`, ""},
		{"browser_wait_for", `{"text": "Total 17 €"}`, ""},
		{"browser_click", `{"element": "Order", "target": "{button \"Order\"}"}`, ""},
		{"browser_wait_for", `{"text": "Thank you, Courier comes"}`, ""},
	}}
}

func logInTask() task {
	return task{name: "log-in twice: 12 steps", ours: []call{
		{"open_browser", `{"url": "SITE/login.html", "then": "snapshot"}`, "Password"},
		{"input", `{"fields": {"E-mail": "ada@example.com", "Password": "wrong"}}`, "2 fields"},
		{"press", `{"keys": ["tab"]}`, ""}, {"press", `{"keys": ["enter"]}`, ""},
		{"assert", `{"label": "Wrong password"}`, "ok"},
		{"input", `{"fields": {"Password": "enigma"}}`, "1 field"}, {"press", `{"keys": ["tab"]}`, ""},
		{"press", `{"keys": ["enter"]}`, ""}, {"assert", `{"label": "Welcome, ada@example.com"}`, "ok"},
		{"tap", `{"label": "Sign out", "then": "diff"}`, ""}, {"assert", `{"label": "E-mail"}`, "ok"},
		{"wait_for", `{"gone": "Welcome, ada@example.com"}`, "ok"},
	}, theirs: []call{
		{"browser_navigate", `{"url": "SITE/login.html"}`, ""}, {"browser_snapshot", `{}`, "Password"},
		{"browser_fill_form",
			`{"fields": [{"name": "E-mail", "type": "textbox", "element": "E-mail", "target": "{textbox \"E-mail\"}", ` +
				`"value": "ada@example.com"},
				{"name": "Password", "type": "textbox", "element": "Password", "target": "{textbox \"Password\"}", "value": ` +
				`"wrong"}]}`, ""},
		{"browser_click", `{"element": "Sign in", "target": "{button \"Sign in\"}"}`, ""},
		{"browser_wait_for", `{"text": "Wrong password"}`, ""},
		{"browser_type", `{"element": "Password", "target": "{textbox \"Password\"}", "text": "enigma"}`, ""},
		{"browser_press_key", `{"key": "Tab"}`, ""}, {"browser_press_key", `{"key": "Enter"}`, ""},
		{"browser_wait_for", `{"text": "Welcome, ada@example.com"}`, ""}, {"browser_snapshot", `{}`, "Sign out"},
		{"browser_click", `{"element": "Sign out", "target": "{button \"Sign out\"}"}`, ""},
		{"browser_wait_for", `{"text": "E-mail"}`, ""}, {"browser_wait_for", `{"textGone": "Welcome, ada@example.com"}`, ""},
	}}
}

func longTask() task {
	return task{name: "long list: 10 steps", ours: []call{
		{"open_browser", `{"url": "SITE/list.html"}`, ""}, {"snapshot", `{"find": "order 7"}`, "Open order 7"},
		{"tap", `{"label": "Open order 7"}`, ""}, {"assert", `{"label": "This is order 7"}`, "ok"},
		{"scroll_to", `{"label": "Open order 90"}`, "ok"}, {"tap", `{"label": "Open order 90"}`, ""},
		{"assert", `{"label": "This is order 90"}`, "ok"},
		{"scroll_to", `{"label": "Open order 140"}`, "ok"}, {"tap", `{"label": "Open order 140"}`, ""},
		{"assert", `{"label": "This is order 140"}`, "ok"},
	}, theirs: []call{
		{"browser_navigate", `{"url": "SITE/list.html"}`, ""}, {"browser_snapshot", `{}`, "Open order 7"},
		{"browser_click", `{"element": "Open order 7", "target": "{button \"Open order 7\"}"}`, ""},
		{"browser_wait_for", `{"text": "This is order 7"}`, ""},
		{"browser_press_key", `{"key": "End"}`, ""}, {"browser_wait_for", `{"text": "Order 50"}`, ""},
		{"browser_press_key", `{"key": "End"}`, ""}, {"browser_wait_for", `{"text": "Order 75"}`, ""},
		{"browser_press_key", `{"key": "End"}`, ""}, {"browser_wait_for", `{"text": "Order 100"}`, ""},
		{"browser_snapshot", `{}`, "Open order 90"},
		{"browser_click", `{"element": "Open order 90", "target": "{button \"Open order 90\"}"}`, ""},
		{"browser_wait_for", `{"text": "This is order 90"}`, ""},
		{"browser_press_key", `{"key": "End"}`, ""}, {"browser_wait_for", `{"text": "Order 125"}`, ""},
		{"browser_press_key", `{"key": "End"}`, ""}, {"browser_wait_for", `{"text": "Order 150"}`, ""},
		{"browser_snapshot", `{}`, "Open order 140"},
		{"browser_click", `{"element": "Open order 140", "target": "{button \"Open order 140\"}"}`, ""},
		{"browser_wait_for", `{"text": "This is order 140"}`, ""},
	}}
}

func phoneTask() task {
	return task{name: "log-in on the phone: 10 steps", phone: true, ours: []call{
		{"launch", `{"package": "com.example.login", "force": true, "device": "PHONE"}`, "ok"},
		{"wait_for", `{"visible": "E-mail", "device": "PHONE"}`, "ok"},
		{"snapshot", `{"device": "PHONE"}`, "Password"},
		{"input", `{"fields": {"E-mail": "ada@example.com", "Password": "wrong"}, "device": "PHONE"}`, "2 fields"},
		{"tap", `{"label": "Sign in", "device": "PHONE"}`, ""},
		{"wait_for", `{"visible": "Wrong e-mail or password", "device": "PHONE"}`, ""},
		{"input", `{"fields": {"Password": "lovelace"}, "device": "PHONE"}`, "1 field"},
		{"tap", `{"label": "Sign in", "device": "PHONE"}`, ""},
		{"assert", `{"label": "Welcome, Ada", "device": "PHONE"}`, "ok"},
	}}
}
