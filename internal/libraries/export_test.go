package libraries

// TenantOf is for tests.
func TenantOf(owner string) string { return tenantOf(owner) }
