// Where Townsquare is: "" at the root of its host, "/community" where another application has mounted it there.
export const ROOT = new URL("..", import.meta.url).pathname.slice(0, -1);
