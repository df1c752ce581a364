/*
 * Which guards are out: none, unless a test build says so.
 */
