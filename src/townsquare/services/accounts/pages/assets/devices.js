// A name that people know their device by; the whole user agent says more than anybody wants to read.

// The first that fits: most browsers also call themselves by the names of those before them.
const BROWSERS = [[/\bEdg/, "Edge"], [/\bOPR\//, "Opera"], [/Firefox\/|FxiOS\//, "Firefox"], [/Chrome\/|CriOS\//, "Chrome"], [/Safari\//, "Safari"]];
const SYSTEMS = [[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Windows/, "Windows"], [/CrOS/, "ChromeOS"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]];

const found = (names, agent) => names.find(([sign]) => sign.test(agent))?.[1];

export function nameOf(agent) {
  const browser = found(BROWSERS, agent);
  const system = found(SYSTEMS, agent);
  if (browser && system) return `${browser} on ${system}`;
  return agent || "An unknown device";
}
