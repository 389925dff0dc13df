// What axe-core does not look at: placeholders of less than 4.5 to 1, and lines around a page's fields of less than 3 to 1.
() => {
  const numbers = (colour) => colour.match(/[\d.]+/g).map((part) => part * (colour.startsWith("color(srgb ") ? 255 : 1));
  const brightness = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (...colours) => {
    const [dark, bright] = colours.map(brightness).sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const inside = (root) => [...root.querySelectorAll("*")]
    .flatMap((each) => [each, ...(each.shadowRoot ? inside(each.shadowRoot) : [])]);
  const fields = inside(document).filter((each) => each.checkVisibility()
    && each.matches("input:not([type=radio], [type=checkbox]), textarea, select"));
  return fields.flatMap((field) => {
    const look = getComputedStyle(field);
    const hint = getComputedStyle(field, "::placeholder");
    const back = numbers(look.backgroundColor);
    const ink = numbers(hint.color).map((part, at) => part * hint.opacity + back[at] * (1 - hint.opacity));
    const line = numbers(look.borderTopColor);
    const name = field.name || field.id || field.getAttribute("aria-label");
    return [
      field.placeholder && contrast(ink, back) < 4.5 && `placeholder of ${name}: ${contrast(ink, back)}`,
      field.getRootNode() === document && contrast(line, back) < 3 && `line around ${name}: ${contrast(line, back)}`,
    ].filter(Boolean);
  });
}
