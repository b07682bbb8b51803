import { greet } from './greeting.js';

console.log(greet(process.argv[2]));
