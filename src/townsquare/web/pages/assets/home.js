import { offerCopies } from "../shared/snippets.js";

offerCopies();
