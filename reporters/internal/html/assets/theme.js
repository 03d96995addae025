(function () {
  var theme = /[#&]theme=(dark|light)/.exec(location.hash);
  try { theme = theme || [0, localStorage.getItem("taproot-theme")]; } catch (e) {
    /* file pages may have no storage */ }
  if (theme && (theme[1] === "dark" || theme[1] === "light")) document.documentElement.dataset.theme = theme[1];
})();
