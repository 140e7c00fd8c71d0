package client

// Playing is the command for a child that plays a role, for the tests that see
// the package from outside.
var Playing = playing
