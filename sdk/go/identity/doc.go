// Manage Auth0 access from Pulumi: assign roles to groups, configure connection profiles, and revoke device credentials.
package identity
