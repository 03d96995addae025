(styles) => {
	const skipped = new Set(['noscript', 'script', 'br', 'img', 'svg', 'g', 'path', 'style'])
	const word = (value) => typeof value === 'string' && value !== '' ? value : null
	const textOf = (e, tag) => {
		if (tag === 'input' || tag === 'textarea') return e.value || e.placeholder || e.ariaLabel || ''
		if (tag === 'select') return Array.from(e.selectedOptions, o => o.text).join(', ')
		let text = ''
		for (const c of e.childNodes) if (c.nodeType === 3) text += c.textContent.replace('\n', '').replace('\t', '')
		return text
	}
	const idOf = (e) => word(e.getAttribute('flt-semantics-identifier')) || word(e.id) || word(e.ariaLabel) ||
		word(e.name) ||
		word(e.title) || word(e.htmlFor) || word(e.getAttribute('data-testid'))
	const boxOf = (e, tag, dx, dy) => {
		if (tag === 'option') {
			const y = 100000 + Array.from(e.parentElement.children).indexOf(e) * 20
			return [100000, y, 100100, y + 20]
		}
		const r = e.getBoundingClientRect()
		return [Math.round(r.x + dx), Math.round(r.y + dy), Math.round(r.x + r.width + dx), Math.round(r.y + r.height + dy)]
	}
	const read = (e, dx, dy) => {
		if (!e) return null
		const tag = e.tagName.toLowerCase()
		if (skipped.has(tag)) return null
		if (tag === 'iframe' || tag === 'frame') {
			let inner = null
			try { inner = e.contentDocument && e.contentDocument.body } catch (_) { return null }
			if (!inner) return null
			const r = e.getBoundingClientRect()
			return read(inner, dx + r.x, dy + r.y)
		}
		if (tag === 'option' && !e.parentElement.matches(':focus-within')) return null
		const children = []
		for (const c of e.children) {
			const inner = read(c, dx, dy)
			if (inner) children.push(inner)
		}
		const node = { t: textOf(e, tag), b: boxOf(e, tag, dx, dy), n: children }
		const id = idOf(e)
		if (id) node.i = id
		if (tag === 'option') node.o = true
		for (const css of styles) {
			if (e.matches(css)) (node.c = node.c || {})[css] = true
		}
		return node
	}
	return JSON.stringify({ w: window.innerWidth, h: window.innerHeight,
		l: document.readyState !== 'complete', r: read(document.body, 0, 0) })
}
