// Before anything is drawn: the theme that was chosen here. A module would come too late.
{
  const chosen = localStorage.getItem("townsquare-theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}
