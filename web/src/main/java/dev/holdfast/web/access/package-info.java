/** Who may use the API: tokens, and sessions of the dashboard. */
@NullMarked
package dev.holdfast.web.access;

import org.jspecify.annotations.NullMarked;
