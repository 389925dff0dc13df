// Compiled against the types that openapi-typescript makes: what is used here must be in the description.
import type { components, operations, paths } from "./api";

type SignUp = paths["/accounts/signup"]["post"]["requestBody"]["content"]["application/json"];
type SignedIn = operations["accounts_signup"]["responses"][201]["content"]["application/json"];

export const ann: SignUp = { username: "ann", password: "kludge-mirth-9" };
export const token = (answer: SignedIn): string => answer.access_token;
export const texts = (page: components["schemas"]["ItemPage"]): string[] => page.items.map((item) => item.post.content);
export const stop = (action: operations["widgets_get_visit"]["parameters"]["query"]["action"]): boolean => action === "delete";
